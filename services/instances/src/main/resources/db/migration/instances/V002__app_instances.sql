CREATE TABLE app_instances (
    id                          uuid PRIMARY KEY,
    resource_name               text NOT NULL UNIQUE,
    org_id                      uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id                  uuid NOT NULL,
    app_id                      uuid NOT NULL REFERENCES app_catalog (id) ON DELETE RESTRICT,
    app_version_id              uuid NOT NULL,
    display_name                text NOT NULL,
    operating_mode              text NOT NULL DEFAULT 'tenant_dedicated'
        CHECK (operating_mode IN ('tenant_dedicated', 'platform_managed')),
    control_plane_scope         text NOT NULL DEFAULT 'project'
        CHECK (control_plane_scope IN ('project', 'tenant', 'platform')),
    tenant_boundary_mode        text NOT NULL DEFAULT 'tenant_isolated'
        CHECK (tenant_boundary_mode IN ('tenant_isolated', 'shared_service')),
    status                      text NOT NULL
        CHECK (status IN ('requested', 'deploying', 'running', 'failed', 'deleting', 'deleted')),
    requested_by_user_id        uuid NOT NULL REFERENCES users (id),
    requested_by_principal_id   uuid NOT NULL,
    operator_service_account_id uuid,
    config                      jsonb NOT NULL DEFAULT '{}',
    runtime_state               jsonb NOT NULL DEFAULT '{}',
    failure_reason              text,
    generation                  integer NOT NULL DEFAULT 1,
    sequence                    bigint NOT NULL DEFAULT 1,
    created_at                  timestamptz NOT NULL DEFAULT now(),
    updated_at                  timestamptz NOT NULL DEFAULT now(),
    deleted_at                  timestamptz,
    -- The project is of the organization, the operator account of the project, the version of the app: whatever the code does.
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id) ON DELETE CASCADE,
    FOREIGN KEY (operator_service_account_id, project_id, org_id) REFERENCES service_accounts (id, project_id, org_id),
    FOREIGN KEY (app_version_id, app_id) REFERENCES app_versions (id, app_id) ON DELETE RESTRICT
);

CREATE INDEX ix_app_instances_project_status_created ON app_instances (project_id, status, created_at DESC);
CREATE INDEX ix_app_instances_org_status ON app_instances (org_id, status);
CREATE INDEX ix_app_instances_project_created ON app_instances (project_id, created_at DESC, id DESC);
