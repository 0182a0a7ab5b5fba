-- The shared runtime that an instance uses; null if it uses none, or if its events were published before they named it.
ALTER TABLE metered_instances ADD COLUMN shared_runtime_id uuid;
