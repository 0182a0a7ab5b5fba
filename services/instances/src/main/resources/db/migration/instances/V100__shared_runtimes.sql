-- Runtimes that an organization owns and its projects share. Operations, commands and events have the columns of those of instances.
CREATE TABLE shared_runtimes (
    id                        uuid PRIMARY KEY,
    resource_name             text NOT NULL UNIQUE,
    org_id                    uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    environment               text NOT NULL,
    app_id                    uuid NOT NULL REFERENCES app_catalog (id) ON DELETE RESTRICT,
    app_version_id            uuid NOT NULL,
    display_name              text NOT NULL,
    status                    text NOT NULL
        CHECK (status IN ('requested', 'deploying', 'running', 'failed', 'deleting', 'deleted')),
    requested_by_user_id      uuid NOT NULL REFERENCES users (id),
    requested_by_principal_id uuid NOT NULL,
    operator_id               uuid NOT NULL,
    placement_intent          jsonb NOT NULL,
    config                    jsonb NOT NULL,
    contribution_policy       jsonb NOT NULL,
    submission_policy         jsonb NOT NULL,
    runtime_state             jsonb NOT NULL,
    failure_reason            text,
    generation                integer NOT NULL,
    sequence                  bigint NOT NULL,
    policy_version            text,
    registry_versions         jsonb,
    delete_seconds            integer NOT NULL,
    reap                      boolean NOT NULL,
    previous_version_id       uuid,
    previous_config           jsonb,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    deleted_at                timestamptz,
    UNIQUE (id, org_id),
    FOREIGN KEY (app_version_id, app_id) REFERENCES app_versions (id, app_id) ON DELETE RESTRICT,
    FOREIGN KEY (previous_version_id, app_id) REFERENCES app_versions (id, app_id) ON DELETE RESTRICT
);

CREATE UNIQUE INDEX ux_shared_runtimes_live ON shared_runtimes (org_id, environment, app_id) WHERE status <> 'deleted';
CREATE INDEX ix_shared_runtimes_org_created ON shared_runtimes (org_id, created_at DESC, id DESC);
CREATE INDEX ix_shared_runtimes_present ON shared_runtimes (created_at DESC, id DESC) WHERE status <> 'deleted';

CREATE TABLE shared_runtime_attachments (
    id                  uuid PRIMARY KEY,
    shared_runtime_id   uuid NOT NULL,
    org_id              uuid NOT NULL,
    project_id          uuid NOT NULL,
    status              text NOT NULL CHECK (status IN ('requested', 'attached', 'detaching', 'detached', 'failed')),
    -- Null: the default of the runtime applies.
    contribution_policy jsonb,
    submission_policy   jsonb,
    app_policy          jsonb NOT NULL,
    billing_policy_ref  text,
    failure_reason      text,
    revision            integer NOT NULL,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    detached_at         timestamptz,
    UNIQUE (id, shared_runtime_id, org_id, project_id),
    FOREIGN KEY (shared_runtime_id, org_id) REFERENCES shared_runtimes (id, org_id) ON DELETE CASCADE,
    -- The project belongs to the organization of the runtime, whatever the code does.
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ux_shared_runtime_attachments_project ON shared_runtime_attachments (shared_runtime_id, project_id)
    WHERE status <> 'detached';
CREATE INDEX ix_shared_runtime_attachments_runtime ON shared_runtime_attachments (shared_runtime_id, created_at DESC, id DESC);
CREATE INDEX ix_shared_runtime_attachments_project ON shared_runtime_attachments (project_id, created_at DESC, id DESC)
    WHERE status <> 'detached';

CREATE TABLE shared_runtime_workers (
    id                uuid PRIMARY KEY,
    shared_runtime_id uuid NOT NULL,
    org_id            uuid NOT NULL,
    component         text NOT NULL,
    source            text NOT NULL CHECK (source IN ('tenant', 'project')),
    source_project_id uuid,
    attachment_id     uuid,
    allocation_ref    text,
    region            text,
    sku               text,
    generation        integer NOT NULL,
    desired_state     text NOT NULL CHECK (desired_state IN ('ready', 'drained', 'removed')),
    observed_state    text NOT NULL
        CHECK (observed_state IN ('pending', 'joining', 'ready', 'draining', 'removed', 'failed')),
    component_key     text,
    adapter_detail    jsonb NOT NULL,
    reason            text,
    labels            jsonb NOT NULL,
    cordoned          boolean NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    FOREIGN KEY (shared_runtime_id, org_id) REFERENCES shared_runtimes (id, org_id) ON DELETE CASCADE,
    -- A contributed worker belongs to an attachment of its project; a worker of the tenant belongs to none.
    FOREIGN KEY (attachment_id, shared_runtime_id, org_id, source_project_id)
        REFERENCES shared_runtime_attachments (id, shared_runtime_id, org_id, project_id),
    CHECK ((source = 'project') = (source_project_id IS NOT NULL AND attachment_id IS NOT NULL))
);

CREATE INDEX ix_shared_runtime_workers_runtime ON shared_runtime_workers (shared_runtime_id, created_at DESC, id DESC);

CREATE TABLE shared_runtime_operations (
    id                        uuid PRIMARY KEY,
    shared_runtime_id         uuid NOT NULL REFERENCES shared_runtimes (id) ON DELETE CASCADE,
    org_id                    uuid NOT NULL,
    -- The project that the operation belongs to, and its attachment; null for the owner of the runtime.
    project_id                uuid,
    attachment_id             uuid,
    principal_type            text NOT NULL,
    kind                      text NOT NULL
        CHECK (kind IN ('create', 'upgrade', 'rollback', 'delete', 'member', 'declared', 'detach')),
    name                      text NOT NULL,
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
    due_at                    timestamptz NOT NULL
);

-- One change of a runtime, one operation on a worker and one detachment of a project at a time.
CREATE UNIQUE INDEX ux_shared_runtime_operations_exclusive ON shared_runtime_operations (shared_runtime_id)
    WHERE kind IN ('create', 'upgrade', 'rollback', 'delete') AND status IN ('accepted', 'running');
CREATE UNIQUE INDEX ux_shared_runtime_operations_worker ON shared_runtime_operations (member_id)
    WHERE kind = 'member' AND status IN ('accepted', 'running');
CREATE UNIQUE INDEX ux_shared_runtime_operations_detach ON shared_runtime_operations (attachment_id)
    WHERE kind = 'detach' AND status IN ('accepted', 'running');
CREATE INDEX ix_shared_runtime_operations_runtime ON shared_runtime_operations (shared_runtime_id, created_at DESC, id DESC);
CREATE INDEX ix_shared_runtime_operations_project ON shared_runtime_operations (shared_runtime_id, project_id, created_at DESC, id DESC)
    WHERE project_id IS NOT NULL;
CREATE INDEX ix_shared_runtime_operations_command ON shared_runtime_operations (command_id);
CREATE INDEX ix_shared_runtime_operations_cancel ON shared_runtime_operations (cancel_command_id) WHERE cancel_command_id IS NOT NULL;
CREATE INDEX ix_shared_runtime_operations_due ON shared_runtime_operations (due_at) WHERE status IN ('accepted', 'running');

CREATE TABLE shared_runtime_events (
    shared_runtime_id uuid NOT NULL REFERENCES shared_runtimes (id) ON DELETE CASCADE,
    sequence          bigint NOT NULL,
    org_id            uuid NOT NULL,
    event_id          uuid NOT NULL,
    event_type        text NOT NULL,
    occurred_at       timestamptz NOT NULL,
    correlation_id    text NOT NULL,
    payload           jsonb NOT NULL,
    actor             jsonb,
    PRIMARY KEY (shared_runtime_id, sequence)
);

CREATE TABLE shared_runtime_commands (
    command_id        uuid PRIMARY KEY,
    shared_runtime_id uuid NOT NULL REFERENCES shared_runtimes (id) ON DELETE CASCADE,
    runtime_backend   text NOT NULL,
    event_type        text NOT NULL,
    occurred_at       timestamptz NOT NULL,
    correlation_id    text NOT NULL,
    payload           jsonb NOT NULL,
    attempt           integer NOT NULL DEFAULT 1,
    due_at            timestamptz,
    traceparent       text
);

CREATE INDEX ix_shared_runtime_commands_due ON shared_runtime_commands (runtime_backend, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_shared_runtime_commands_runtime ON shared_runtime_commands (shared_runtime_id);

-- An instance with the control plane of its tenant uses a shared runtime of that tenant.
ALTER TABLE app_instances ADD COLUMN shared_runtime_id uuid;
ALTER TABLE app_instances ADD FOREIGN KEY (shared_runtime_id, org_id) REFERENCES shared_runtimes (id, org_id);
CREATE INDEX ix_app_instances_shared_runtime ON app_instances (shared_runtime_id, project_id)
    WHERE shared_runtime_id IS NOT NULL AND status <> 'deleted';

-- Deleted projects are detached. Revision 0 lets the snapshots, which are read again from their beginning, fill in the state.
ALTER TABLE projects ADD COLUMN state text NOT NULL DEFAULT 'active';
UPDATE projects SET revision = 0;
