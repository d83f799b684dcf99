//! Why a file is not indexed. Skipped files are never silent.

/// One variant per thing a user can do about it. The numbers are written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SkipReason {
    TooLarge = 1,
    Binary = 2,
    /// Likely to hold secrets: `.env`, private keys.
    Credential = 3,
    Unreadable = 4,
    /// A pipe, socket or device.
    SpecialFile = 5,
    SymbolicLink = 6,
    /// A repository inside the repository; open it as a workspace of its own.
    Submodule = 7,
    /// The path is no Unicode text, or too long.
    Name = 8,
    /// It changed each time it was read.
    Changing = 9,
    /// Extracting it failed; the failure is ours.
    Failed = 10,
    /// The object is not in this clone.
    Absent = 11,
    /// Git holds a pointer to it; the text itself is in large-file storage.
    LargeFilePointer = 12,
}

impl SkipReason {
    pub const ALL: &'static [SkipReason] = {
        use SkipReason::*;
        &[
            TooLarge,
            Binary,
            Credential,
            Unreadable,
            SpecialFile,
            SymbolicLink,
            Submodule,
            Name,
            Changing,
            Failed,
            Absent,
            LargeFilePointer,
        ]
    };

    pub fn from_number(number: u8) -> Option<SkipReason> {
        SkipReason::ALL
            .iter()
            .copied()
            .find(|reason| *reason as u8 == number)
    }

    pub fn word(self) -> &'static str {
        match self {
            SkipReason::TooLarge => "too_large",
            SkipReason::Binary => "binary",
            SkipReason::Credential => "credential",
            SkipReason::Unreadable => "unreadable",
            SkipReason::SpecialFile => "special_file",
            SkipReason::SymbolicLink => "symbolic_link",
            SkipReason::Submodule => "submodule",
            SkipReason::Name => "name",
            SkipReason::Changing => "changing",
            SkipReason::Failed => "failed",
            SkipReason::Absent => "absent",
            SkipReason::LargeFilePointer => "large_file_pointer",
        }
    }

    /// The bytes alone decide, so that another file with the same bytes need not be looked at.
    pub fn belongs_to_content(self) -> bool {
        matches!(
            self,
            SkipReason::TooLarge | SkipReason::Binary | SkipReason::LargeFilePointer
        )
    }
}
