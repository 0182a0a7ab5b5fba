-- Metadata belongs to a bundle: that of an installed app, or the tenant's own (app_name is empty).
ALTER TABLE deployed_objects ADD COLUMN app_name text NOT NULL DEFAULT '';

-- Views, flows and permission sets that are deployed.
CREATE TABLE deployed_documents (
    tenant_id     uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    app_name      text NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('view', 'flow', 'permission')),
    name          text NOT NULL,
    definition    jsonb NOT NULL,
    deployment_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, app_name, kind, name)
);

-- Objects of uninstalled apps whose tables remain. A later deployment of an object of this name continues with the table.
CREATE TABLE retained_objects (
    tenant_id   uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    object_name text NOT NULL,
    definition  jsonb NOT NULL,
    PRIMARY KEY (tenant_id, object_name)
);

-- Deployments, in the order in which they run. A worker locks the row of the oldest unfinished deployment of a tenant, runs its next step, and
-- records it in the same transaction.
CREATE TABLE deployments (
    deployment_id       uuid PRIMARY KEY,
    tenant_id           uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    org_id              uuid NOT NULL,
    position            bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    app_name            text NOT NULL,
    kind                text NOT NULL CHECK (kind IN ('deploy', 'install', 'upgrade', 'uninstall')),
    version             text NOT NULL,
    checksum            text NOT NULL,
    metadata            jsonb NOT NULL,
    bundle              jsonb NOT NULL,
    keep_tables         boolean NOT NULL,
    allow_breaking      boolean NOT NULL,
    expected_plan_hash  text,
    status              text NOT NULL CHECK (status IN ('validating', 'diffing', 'migrating', 'registering', 'ready', 'failed', 'rolling_back')),
    diff                jsonb,
    plan                jsonb,
    plan_hash           text,
    -- The metadata before this deployment, which a rollback restores.
    previous            jsonb,
    statements_executed int NOT NULL DEFAULT 0,
    seeded_records      int NOT NULL DEFAULT 0,
    unrestorable        jsonb NOT NULL DEFAULT '[]',
    error               text,
    requested_by        uuid NOT NULL,
    correlation_id      text NOT NULL,
    created_at          timestamptz NOT NULL,
    started_at          timestamptz,
    completed_at        timestamptz,
    rolled_back_at      timestamptz
);
CREATE INDEX ix_deployments_page ON deployments (tenant_id, created_at DESC, deployment_id DESC);
CREATE INDEX ix_deployments_app ON deployments (tenant_id, app_name, position DESC);
CREATE INDEX ix_deployments_queue ON deployments (tenant_id, position) WHERE status NOT IN ('ready', 'failed');

-- Apps that are or were installed in a tenant. Their versions and states follow from their deployments.
CREATE TABLE tenant_apps (
    app_id           uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    org_id           uuid NOT NULL,
    name             text NOT NULL,
    app_slug         text NOT NULL,
    config_overrides jsonb NOT NULL,
    created_at       timestamptz NOT NULL,
    UNIQUE (tenant_id, name)
);

-- Read model of the catalog: the apps, and which organizations have a project that is entitled to them.
CREATE TABLE catalog_apps (
    app_id   uuid PRIMARY KEY,
    app_slug text NOT NULL UNIQUE
);
CREATE TABLE catalog_entitlements (
    entitlement_id uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    app_id         uuid NOT NULL,
    enabled        boolean NOT NULL,
    revision       bigint NOT NULL
);
CREATE INDEX ix_catalog_entitlements ON catalog_entitlements (org_id, app_id) WHERE enabled;
