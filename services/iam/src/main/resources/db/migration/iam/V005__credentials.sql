-- Credentials of service accounts, shared-runtime operators, adapters and people's programs, all alike. A secret is kept as its hash only.
CREATE TABLE credentials (
    id                 uuid PRIMARY KEY,
    owner_kind         text NOT NULL CHECK (owner_kind IN ('service_account', 'shared_runtime_operator', 'adapter', 'api_key')),
    owner_id           uuid NOT NULL,
    org_id             uuid,
    project_id         uuid,
    secret_hash        bytea NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT now(),
    expires_at         timestamptz,
    last_used_at       timestamptz,
    revoked_at         timestamptz
);
CREATE INDEX ix_credentials_owner ON credentials (owner_id, created_at DESC);
CREATE INDEX ix_credentials_project ON credentials (project_id) WHERE project_id IS NOT NULL AND revoked_at IS NULL;

ALTER TABLE service_accounts ADD COLUMN disabled_at timestamptz, ADD COLUMN deleted_at timestamptz;
CREATE INDEX ix_service_accounts_project ON service_accounts (project_id, created_at DESC, id DESC);

CREATE TABLE shared_runtime_operators (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL REFERENCES organizations (id),
    shared_runtime_id  uuid NOT NULL,
    display_name       text NOT NULL,
    allowed_actions    text[] NOT NULL,
    state              text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'deleted')),
    created_by_user_id uuid NOT NULL REFERENCES users (id),
    created_at         timestamptz NOT NULL DEFAULT now(),
    disabled_at        timestamptz,
    deleted_at         timestamptz
);
-- One runtime has one operator.
CREATE UNIQUE INDEX ux_shared_runtime_operators_runtime ON shared_runtime_operators (org_id, shared_runtime_id) WHERE state <> 'deleted';

-- An API key is a credential of a user, with a name and the actions it is for; both rows have one id.
CREATE TABLE api_keys (
    id      uuid PRIMARY KEY REFERENCES credentials (id),
    user_id uuid NOT NULL REFERENCES users (id),
    name    text NOT NULL,
    actions text[] NOT NULL
);
CREATE INDEX ix_api_keys_user ON api_keys (user_id);

-- The secret that an adapter came with becomes its first credential, under the adapter's own id.
ALTER TABLE adapters ADD COLUMN disabled_at timestamptz;
INSERT INTO credentials (id, owner_kind, owner_id, secret_hash, created_at)
    SELECT id, 'adapter', id, secret_hash, created_at FROM adapters;
ALTER TABLE adapters DROP COLUMN secret_hash;
