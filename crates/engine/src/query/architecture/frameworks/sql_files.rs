//! Files of SQL, whatever the program around them is written in.

use super::*;

pub const SQL_FILES: Framework = Framework {
    read: &[crate::query::architecture::sql::read_files],
    ..Framework::new("sql", Family::None)
};
