-- What an instance came from, to go back to; and what its manifest said that counts when the manifest is of no use any more.
ALTER TABLE app_instances ADD COLUMN previous_version_id uuid;
ALTER TABLE app_instances ADD COLUMN previous_config jsonb;
ALTER TABLE app_instances ADD COLUMN delete_seconds integer NOT NULL DEFAULT 1800;
ALTER TABLE app_instances ADD COLUMN reap boolean NOT NULL DEFAULT false;
ALTER TABLE app_instances ADD FOREIGN KEY (previous_version_id, app_id) REFERENCES app_versions (id, app_id) ON DELETE RESTRICT;

-- Launches that were looked at and not done yet.
CREATE TABLE app_instance_plans (
    id           uuid PRIMARY KEY,
    project_id   uuid NOT NULL,
    request      jsonb NOT NULL,
    -- What the launch would come to: a launch by the plan is done only if it still comes to that.
    outcome      jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);

CREATE INDEX ix_app_instance_plans_expires ON app_instance_plans (expires_at);
