//! What a route leads to: a method of a controller that it names.

use facts::{Recipe, RecipeId};

use super::{BlockBase, BlockLevel, BlockReader, own_level};
use crate::{
    SymbolId, query,
    query::architecture::{
        inflection::camel,
        scan::{CallSite, symbol_in, type_name},
        tables::child_named,
    },
};

impl BlockReader<'_> {
    /// `OrdersController` of `OrdersController::class`, `"OrdersController"` or
    /// `"Api\OrdersController"`.
    pub fn class_name(&self, level: &BlockLevel, recipe: RecipeId) -> Option<String> {
        let view = self.scan.resolver.view(level.file)?;
        match view.facts.recipe(recipe) {
            Recipe::Type(ty) => type_name(&view, ty).map(str::to_owned),
            _ => {
                let known = self.text(level, recipe)?;
                known.text.rsplit(['\\', '/']).next().map(str::to_owned)
            }
        }
    }

    /// `[OrdersController::class, 'show']`, `OrdersController::class`, `'OrdersController@show'`,
    /// or a function.
    pub fn handler_argument(&self, site: &CallSite) -> Option<SymbolId> {
        let own = own_level(site);
        let last = *site.arguments.last()?;
        let view = &site.view;
        match view.facts.recipe(last) {
            Recipe::List(list) => {
                let items = view.facts.list(list);
                let class = self.class_name(&own, *items.first()?)?;
                self.method(&class, &self.text(&own, *items.get(1)?)?.text)
            }
            Recipe::Str(text) => {
                let (class, method) = view.facts.name(text).split_once('@')?;
                self.method(class.rsplit('\\').next().unwrap_or(class), method)
            }
            Recipe::Type(_) => self.method(&self.class_name(&own, last)?, "__invoke"),
            Recipe::Lambda(..) => site.enclosing(),
            _ => None,
        }
    }

    /// `posts#show` is `PostsController#show`.
    pub fn handler(&self, base: &BlockBase, to: &str) -> Option<SymbolId> {
        let (controller, action) = to.split_once(['#', '@'])?;
        let controller = if controller.is_empty() {
            base.controller.as_deref()?
        } else {
            controller
        };
        let last = controller.rsplit(['/', '\\']).next().unwrap_or(controller);
        let class = if last.ends_with("Controller") {
            last.to_owned()
        } else {
            format!("{}Controller", camel(last))
        };
        self.method(&class, action)
    }

    fn method(&self, class: &str, method: &str) -> Option<SymbolId> {
        let resolver = self.scan.resolver;
        let read = query::symbols_named(resolver.snapshot(), class);
        let classes = resolver.budget.read(read);
        classes.into_iter().find_map(|symbol| {
            let view = self.scan.resolver.view(symbol.file)?;
            Some(symbol_in(&view, child_named(&view, symbol.index, method)?))
        })
    }
}
