//! Django: tables of addresses that include one another (`urls.rs`), REST framework's routers of
//! view sets (`view_sets.rs`), and models.

mod urls;
mod view_sets;

use facts::SymbolIndex;

use super::*;
use crate::{
    FileView,
    query::architecture::{Scan, tables::child_named},
};

pub const DJANGO: Framework = Framework {
    modules: &["django", "rest_framework"],
    packages: &["Django", "django", "djangorestframework"],
    tables: TableRules {
        models: &[TableModel {
            meta: Some((META, "db_table")),
            abstract_switch: Some("abstract"),
            proxy_switch: Some("proxy"),
            has_table_per_class: true,
            ..TableModel::new(
                &[
                    "models.Model",
                    "AbstractUser",
                    "AbstractBaseUser",
                    "MPTTModel",
                    "TimeStampedModel",
                ],
                TableConvention::By(table_of_model),
            )
        }],
        ..TableRules::NONE
    },
    sql: &[sql(&["execute", "raw"], &[0])],
    read: &[urls::read],
    ..Framework::new("django", Family::Python)
};

/// The inner class of a model that has its settings.
const META: &str = "Meta";

/// `shop_order` of the model `Order` of the application `shop`.
fn table_of_model(scan: &Scan<'_>, view: &FileView, class: SymbolIndex) -> String {
    let label = child_named(view, class, META)
        .and_then(|meta| child_named(view, meta, "app_label"))
        .and_then(|label| scan.value_string(view, label))
        .map(|known| known.text);
    let path = scan.resolver.snapshot().file(view.id).path.clone();
    let mut directory = path.directory();
    if let Some(at) = format!("/{directory}/").find("/models/") {
        directory = &directory[..at.saturating_sub(1).min(directory.len())];
    }
    let application = label
        .or_else(|| application_label(scan, directory))
        .unwrap_or_else(|| directory.rsplit('/').next().unwrap_or("").to_owned());
    format!("{application}_{}", view.name_of(class).to_lowercase())
}

/// `label = "shop"` of the class in `apps.py` beside the models.
fn application_label(scan: &Scan<'_>, directory: &str) -> Option<String> {
    let path = if directory.is_empty() {
        "apps.py".to_owned()
    } else {
        format!("{directory}/apps.py")
    };
    let view = scan.resolver.view(scan.resolver.snapshot().find(&path)?)?;
    let label = view.facts.names.find("label")?;
    let index = view
        .symbols_named(label)
        .find(|index| view.symbol(*index).parent.is_some())?;
    scan.value_string(&view, index).map(|known| known.text)
}
