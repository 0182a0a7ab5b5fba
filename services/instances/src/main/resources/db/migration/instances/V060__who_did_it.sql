-- Who did what happened, as they were called then; null where the platform did it of itself.
ALTER TABLE instance_events ADD COLUMN actor jsonb;

-- A check of all instances goes through them by age.
CREATE INDEX ix_app_instances_created ON app_instances (created_at, id);
