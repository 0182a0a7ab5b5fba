-- What instances are made of: what each member is to be, and what its adapter says that it is.
CREATE TABLE app_instance_members (
    id              uuid PRIMARY KEY,
    app_instance_id uuid NOT NULL REFERENCES app_instances (id) ON DELETE CASCADE,
    project_id      uuid NOT NULL,
    component       text NOT NULL,
    generation      integer NOT NULL,
    desired_state   text NOT NULL CHECK (desired_state IN ('ready', 'drained', 'removed')),
    observed_state  text NOT NULL
        CHECK (observed_state IN ('pending', 'joining', 'ready', 'draining', 'removed', 'failed')),
    component_key   text,
    adapter_detail  jsonb NOT NULL DEFAULT '{}',
    reason          text,
    labels          jsonb NOT NULL DEFAULT '{}',
    cordoned        boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

CREATE INDEX ix_app_instance_members_instance ON app_instance_members (app_instance_id, created_at DESC, id DESC);
