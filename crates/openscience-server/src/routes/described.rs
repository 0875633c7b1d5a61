//! Routes and what the document says of them, made apart: a daemon answers at once, and the document,
//! which takes longer to make than all else at a start, is made when somebody asks for it.
//!
//! Both come from the same handlers, so neither can say what the other does not.

use axum::Router;
use axum::routing::MethodRouter;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::App;

/// The handlers of one path, and how to describe them.
pub(crate) struct Described {
    pub(crate) path: String,
    pub(crate) handlers: MethodRouter<App>,
    pub(crate) describe: fn() -> UtoipaMethodRouter<App>,
}

/// Takes handlers of one path, each with its `#[utoipa::path]`: the first says which path that is.
macro_rules! routes {
    ($first:ident $(, $more:ident)*) => {
        utoipa_axum::paste! {{
            use utoipa::Path as _;
            use utoipa_axum::PathItemExt as _;
            let mut handlers = axum::routing::MethodRouter::new();
            for method in [<__path_ $first>]::methods() {
                handlers = handlers.on(method.to_method_filter(), $first);
            }
            $(
                for method in [<__path_ $more>]::methods() {
                    handlers = handlers.on(method.to_method_filter(), $more);
                }
            )*
            $crate::routes::described::Described {
                path: [<__path_ $first>]::path(),
                handlers,
                describe: || utoipa_axum::routes!($first $(, $more)*),
            }
        }}
    };
}
pub(crate) use routes;

/// Routes that answer, and what describes each of them.
pub(crate) struct Routes {
    router: Router<App>,
    describe: Vec<fn() -> UtoipaMethodRouter<App>>,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), describe: Vec::new() }
    }

    /// Adds the handlers of one path.
    pub(crate) fn routes(mut self, described: Described) -> Self {
        let Described { path, handlers, describe } = described;
        self.describe.push(describe);
        Self { router: self.router.route(&path, handlers), describe: self.describe }
    }

    pub(crate) fn merge(mut self, mut other: Self) -> Self {
        self.describe.append(&mut other.describe);
        Self { router: self.router.merge(other.router), describe: self.describe }
    }

    pub(crate) fn into_router(self) -> Router<App> {
        self.router
    }

    /// The document of these routes on top of `base`.
    pub(crate) fn into_document(self, base: OpenApi) -> OpenApi {
        let described = self.describe.into_iter().map(|describe| describe());
        described.fold(OpenApiRouter::with_openapi(base), OpenApiRouter::routes).into_openapi()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::document::Base;
    use crate::routes;

    #[test]
    fn every_route_that_answers_is_described_at_its_path_and_no_other() {
        let all = routes::all();
        let mut described = BTreeSet::new();
        for describe in &all.describe {
            let (_, paths, _) = describe();
            // A path named by two calls would be refused by the router already.
            assert_eq!(paths.paths.len(), 1, "{:?}", paths.paths.keys());
            described.extend(paths.paths.into_keys());
        }
        assert_eq!(described.len(), all.describe.len());
        let document = routes::all().into_document(<Base as utoipa::OpenApi>::openapi());
        assert_eq!(document.paths.paths.keys().cloned().collect::<BTreeSet<_>>(), described);
    }
}
