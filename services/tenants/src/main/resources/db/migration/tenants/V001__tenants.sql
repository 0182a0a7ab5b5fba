-- Workspaces with a database, owned by organizations. A destroyed tenant has no row.
CREATE TABLE tenants (
    tenant_id         uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    display_name      text NOT NULL,
    admin_email       text,
    plan              text NOT NULL CHECK (plan IN ('free', 'pro', 'enterprise')),
    region            text,
    isolation_level   text NOT NULL CHECK (isolation_level IN ('shared_schema', 'isolated_schema', 'isolated_db')),
    database_provider text NOT NULL CHECK (database_provider IN ('postgres', 'memory', 'turso')),
    status            text NOT NULL CHECK (status IN ('provisioning', 'active', 'suspended', 'failed', 'destroying')),
    database_name     text NOT NULL,
    schema_name       text NOT NULL,
    owner_role        text NOT NULL,
    role_name         text NOT NULL,
    table_prefix      text NOT NULL,
    -- The number of the last event of the tenant.
    sequence          bigint NOT NULL,
    -- Incremented by every change that makes cached copies invalid.
    generation        bigint NOT NULL,
    error             text,
    destroy_after     timestamptz,
    final_dump        boolean NOT NULL DEFAULT false,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    provisioned_at    timestamptz,
    UNIQUE (database_name, schema_name, table_prefix)
);
CREATE INDEX ix_tenants_page ON tenants (org_id, created_at DESC, tenant_id DESC);
CREATE INDEX ix_tenants_destroying ON tenants (destroy_after) WHERE status = 'destroying';

-- The steps of provisioning, in order. A worker locks the row of the tenant, runs the first step that is not completed, and records it.
CREATE TABLE provisioning_steps (
    tenant_id    uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    position     int NOT NULL,
    name         text NOT NULL,
    status       text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped')),
    started_at   timestamptz,
    completed_at timestamptz,
    error        text,
    attempts     int NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, position)
);

-- Objects that are deployed to a tenant, which the data API serves.
CREATE TABLE deployed_objects (
    tenant_id     uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    object_name   text NOT NULL,
    definition    jsonb NOT NULL,
    deployment_id uuid,
    PRIMARY KEY (tenant_id, object_name)
);

-- A worker claims a tenant for a limited time by its lease. access_pending: the rights in the database do not match the status yet.
ALTER TABLE tenants
    ADD COLUMN lease_id uuid,
    ADD COLUMN lease_until timestamptz,
    ADD COLUMN access_pending boolean NOT NULL DEFAULT false;
CREATE INDEX ix_tenants_work ON tenants (updated_at) WHERE status IN ('provisioning', 'destroying') OR access_pending;

-- Database roles with a password that expires. The password itself is not stored.
CREATE TABLE tenant_credentials (
    credential_id uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    username      text NOT NULL UNIQUE,
    access        text NOT NULL CHECK (access IN ('read', 'write')),
    expires_at    timestamptz NOT NULL,
    created_at    timestamptz NOT NULL
);
CREATE INDEX ix_tenant_credentials_tenant ON tenant_credentials (tenant_id, created_at DESC);
CREATE INDEX ix_tenant_credentials_expiry ON tenant_credentials (expires_at);

-- Final dumps of destroyed tenants; the files are in the dump directory.
CREATE TABLE tenant_dumps (
    dump_id      uuid PRIMARY KEY,
    org_id       uuid NOT NULL,
    tenant_id    uuid NOT NULL,
    display_name text NOT NULL,
    file         text NOT NULL,
    size_bytes   bigint NOT NULL,
    digest       text NOT NULL,
    record_count bigint NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX ix_tenant_dumps_page ON tenant_dumps (org_id, created_at DESC, dump_id DESC);

-- The quotas of the plans; null means no limit.
CREATE TABLE plan_quotas (
    plan                    text PRIMARY KEY,
    max_users               bigint,
    max_storage_bytes       bigint,
    api_rate_limit          bigint,
    max_objects             bigint,
    max_records_per_object  bigint,
    max_deployments_per_day bigint
);
INSERT INTO plan_quotas VALUES
    ('free', 10, 1073741824, 600, 20, 10000, 20),
    ('pro', 500, 107374182400, 6000, 200, 1000000, 200),
    ('enterprise', NULL, NULL, 60000, NULL, NULL, NULL);

-- What is counted per tenant. A writer at a limit changes the row conditionally, so that parallel writers cannot exceed it.
CREATE TABLE tenant_usage (
    tenant_id             uuid PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
    current_users         bigint NOT NULL DEFAULT 0,
    current_storage_bytes bigint NOT NULL DEFAULT 0,
    deployments_today     bigint NOT NULL DEFAULT 0,
    deployments_day       date NOT NULL DEFAULT '1970-01-01',
    last_updated_at       timestamptz
);
CREATE TABLE object_usage (
    tenant_id    uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    object_name  text NOT NULL,
    record_count bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, object_name)
);
