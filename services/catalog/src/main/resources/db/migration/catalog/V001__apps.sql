CREATE TABLE app_catalog (
    id           uuid PRIMARY KEY,
    slug         text NOT NULL UNIQUE,
    display_name text NOT NULL,
    category     text NOT NULL,
    publisher    text NOT NULL,
    status       text NOT NULL CHECK (status IN ('active', 'deprecated', 'disabled')),
    revision     bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_app_catalog_created ON app_catalog (created_at DESC, id DESC);

CREATE TABLE app_versions (
    id              uuid PRIMARY KEY,
    app_id          uuid NOT NULL REFERENCES app_catalog (id) ON DELETE CASCADE,
    version         text NOT NULL,
    runtime_backend text NOT NULL CHECK (runtime_backend IN ('k8s', 'rke2', 'slurm', 'ray', 'bare_metal')),
    manifest        jsonb NOT NULL,
    status          text NOT NULL CHECK (status IN ('active', 'deprecated', 'disabled')),
    revision        bigint NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (app_id, version)
);
CREATE INDEX ix_app_versions_app_status ON app_versions (app_id, status, created_at DESC);

-- Which organization a project belongs to, kept from IAM: an entitlement's project is of its organization, whatever the code does.
CREATE TABLE projects (
    id     uuid PRIMARY KEY,
    org_id uuid NOT NULL,
    UNIQUE (id, org_id)
);

CREATE TABLE project_app_entitlements (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    project_id         uuid NOT NULL,
    app_id             uuid NOT NULL REFERENCES app_catalog (id) ON DELETE CASCADE,
    enabled            boolean NOT NULL DEFAULT true,
    policy_overrides   jsonb NOT NULL DEFAULT '{}',
    updated_by_user_id uuid,
    revision           bigint NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, app_id),
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id) ON DELETE CASCADE
);
CREATE INDEX ix_project_app_entitlements_project ON project_app_entitlements (project_id);
