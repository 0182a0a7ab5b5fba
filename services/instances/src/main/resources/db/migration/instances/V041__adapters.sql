-- The registered adapters, kept from IAM, and what each last said of itself.
CREATE TABLE adapters (
    id              uuid PRIMARY KEY,
    runtime_backend text NOT NULL,
    display_name    text NOT NULL,
    state           text NOT NULL CHECK (state IN ('active', 'disabled')),
    revision        bigint NOT NULL,
    last_seen_at    timestamptz,
    started_at      timestamptz,
    software        text,
    instances       integer,
    waiting         integer
);

-- A command that was heard of is not sent again. It stays until it has ended, and the last one that raised an instance's generation as
-- long as the instance: what an adapter reports later, it reports on that one.
ALTER TABLE runtime_commands ALTER COLUMN due_at DROP NOT NULL;
DROP INDEX ix_runtime_commands_due;
CREATE INDEX ix_runtime_commands_due ON runtime_commands (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_app_instances_present ON app_instances (created_at DESC, id DESC) WHERE status <> 'deleted';
