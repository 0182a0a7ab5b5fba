-- What other services own and this one needs to decide: kept from their state topics, never hard-deleted, so that an instance's
-- references stay readable.
CREATE TABLE organizations (
    id           uuid PRIMARY KEY,
    slug         text NOT NULL,
    display_name text NOT NULL,
    revision     bigint NOT NULL
);

CREATE TABLE users (
    id           uuid PRIMARY KEY,
    display_name text NOT NULL,
    revision     bigint NOT NULL
);

CREATE TABLE projects (
    id                          uuid PRIMARY KEY,
    org_id                      uuid NOT NULL REFERENCES organizations (id),
    slug                        text NOT NULL,
    operator_service_account_id uuid NOT NULL,
    revision                    bigint NOT NULL,
    UNIQUE (id, org_id)
);

CREATE TABLE service_accounts (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    project_id uuid NOT NULL,
    slug       text NOT NULL,
    state      text NOT NULL CHECK (state IN ('active', 'disabled', 'deleted')),
    revision   bigint NOT NULL,
    UNIQUE (id, project_id, org_id),
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id)
);

CREATE TABLE app_catalog (
    id       uuid PRIMARY KEY,
    slug     text NOT NULL UNIQUE,
    status   text NOT NULL CHECK (status IN ('active', 'deprecated', 'disabled')),
    revision bigint NOT NULL
);

CREATE TABLE app_versions (
    id              uuid PRIMARY KEY,
    app_id          uuid NOT NULL REFERENCES app_catalog (id),
    version         text NOT NULL,
    runtime_backend text NOT NULL CHECK (runtime_backend IN ('k8s', 'rke2', 'slurm', 'ray', 'bare_metal')),
    status          text NOT NULL CHECK (status IN ('active', 'deprecated', 'disabled')),
    manifest        jsonb NOT NULL,
    revision        bigint NOT NULL,
    UNIQUE (app_id, version),
    UNIQUE (id, app_id)
);

CREATE TABLE project_app_entitlements (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    project_id       uuid NOT NULL,
    app_id           uuid NOT NULL REFERENCES app_catalog (id),
    enabled          boolean NOT NULL,
    policy_overrides jsonb NOT NULL,
    revision         bigint NOT NULL,
    UNIQUE (project_id, app_id)
);
