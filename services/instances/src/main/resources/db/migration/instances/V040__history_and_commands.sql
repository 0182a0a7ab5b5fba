-- What happened to each instance, in order and without gaps: for its timeline, for its state at a past time, and to go on watching from.
CREATE TABLE instance_events (
    app_instance_id uuid NOT NULL REFERENCES app_instances (id) ON DELETE CASCADE,
    sequence        bigint NOT NULL,
    project_id      uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    correlation_id  text NOT NULL,
    payload         jsonb NOT NULL,
    PRIMARY KEY (app_instance_id, sequence)
);

-- Commands that no adapter has said a word about. What is due is sent again; the first report on a command ends it.
CREATE TABLE runtime_commands (
    command_id      uuid PRIMARY KEY,
    app_instance_id uuid NOT NULL REFERENCES app_instances (id) ON DELETE CASCADE,
    runtime_backend text NOT NULL,
    event_type      text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    correlation_id  text NOT NULL,
    payload         jsonb NOT NULL,
    attempt         integer NOT NULL DEFAULT 1,
    due_at          timestamptz NOT NULL
);

CREATE INDEX ix_runtime_commands_due ON runtime_commands (runtime_backend, due_at);
CREATE INDEX ix_runtime_commands_instance ON runtime_commands (app_instance_id);
