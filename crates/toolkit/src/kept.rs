//! What the tools of a dialect keep as long as the session lives.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// One value of each type that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Kept {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// The value of this type, made if it was not asked for before.
    pub(crate) fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut all = self.0.lock();
        let kept = all.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        Arc::downcast(Arc::clone(kept)).unwrap_or_default() // it is of that type
    }
}
