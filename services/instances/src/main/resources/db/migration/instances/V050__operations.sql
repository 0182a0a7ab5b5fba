-- What was asked of an instance and how it went: kept for good, changed only behind the lock of the instance's row.
CREATE TABLE app_instance_operations (
    id                        uuid PRIMARY KEY,
    app_instance_id           uuid NOT NULL REFERENCES app_instances (id) ON DELETE CASCADE,
    org_id                    uuid NOT NULL,
    project_id                uuid NOT NULL,
    kind                      text NOT NULL CHECK (kind IN ('create', 'upgrade', 'rollback', 'delete', 'member', 'declared')),
    name                      text NOT NULL,
    -- What one has to be allowed to start it, and so to call it off.
    action                    text NOT NULL,
    status                    text NOT NULL CHECK (status IN ('accepted', 'running', 'succeeded', 'failed', 'canceled')),
    percent                   smallint,
    message                   text,
    blockers                  jsonb NOT NULL DEFAULT '[]',
    input                     jsonb,
    output                    jsonb,
    reason                    text,
    command_id                uuid,
    cancel_command_id         uuid,
    member_id                 uuid,
    from_version              text,
    to_version                text,
    requested_by_user_id      uuid NOT NULL,
    requested_by_principal_id uuid NOT NULL,
    correlation_id            text NOT NULL,
    created_at                timestamptz NOT NULL,
    started_at                timestamptz,
    ended_at                  timestamptz,
    deadline_at               timestamptz NOT NULL,
    -- When somebody has to look at it: its deadline, and later for what goes on beyond it.
    due_at                    timestamptz NOT NULL
);

-- One change of an instance at a time, whatever the code does; what apps declare themselves runs beside it.
CREATE UNIQUE INDEX ux_app_instance_operations_mutating ON app_instance_operations (app_instance_id)
    WHERE kind <> 'declared' AND status IN ('accepted', 'running');
CREATE INDEX ix_app_instance_operations_instance ON app_instance_operations (app_instance_id, created_at DESC, id DESC);
CREATE INDEX ix_app_instance_operations_command ON app_instance_operations (command_id);
CREATE INDEX ix_app_instance_operations_cancel ON app_instance_operations (cancel_command_id) WHERE cancel_command_id IS NOT NULL;
CREATE INDEX ix_app_instance_operations_due ON app_instance_operations (due_at) WHERE status IN ('accepted', 'running');
