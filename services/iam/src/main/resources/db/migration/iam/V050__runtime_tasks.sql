-- Read model of the commands to adapters, from the events of their operations. A task token is issued for these commands only.
CREATE TABLE runtime_tasks (
    command_id        uuid PRIMARY KEY,
    subject_id        uuid NOT NULL,
    starts_generation boolean NOT NULL,
    sequence          bigint NOT NULL,
    ended_at          timestamptz
);
CREATE INDEX ix_runtime_tasks_open ON runtime_tasks (subject_id) WHERE ended_at IS NULL;

-- The commands of instances launched before this migration are unknown; they are checked from the next change of generation on.
ALTER TABLE instance_operators ADD COLUMN commands_known boolean NOT NULL DEFAULT false;
