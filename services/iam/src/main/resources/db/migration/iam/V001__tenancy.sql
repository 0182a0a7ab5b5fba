-- One number for everything that decisions are taken from: raised, under this row's lock, by every commit that changes any of it.
CREATE TABLE authz_revision (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    revision bigint NOT NULL
);
INSERT INTO authz_revision (revision) VALUES (0);

CREATE TABLE organizations (
    id           uuid PRIMARY KEY,
    slug         text NOT NULL UNIQUE,
    display_name text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id           uuid PRIMARY KEY,
    issuer       text NOT NULL,
    subject      text NOT NULL,
    display_name text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (issuer, subject)
);

CREATE TABLE projects (
    id                          uuid PRIMARY KEY,
    org_id                      uuid NOT NULL REFERENCES organizations (id),
    slug                        text NOT NULL,
    display_name                text NOT NULL,
    operator_service_account_id uuid NOT NULL,
    created_at                  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (org_id, slug),
    UNIQUE (id, org_id)
);

CREATE TABLE service_accounts (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    project_id         uuid NOT NULL,
    slug               text NOT NULL,
    display_name       text NOT NULL,
    issuer             text,
    subject            text,
    allowed_actions    text[] NOT NULL,
    state              text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'deleted')),
    created_by_user_id uuid NOT NULL REFERENCES users (id),
    created_at         timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, slug),
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id)
);

CREATE TABLE roles (
    name    text PRIMARY KEY,
    level   text NOT NULL CHECK (level IN ('platform', 'organization', 'project', 'machine')),
    actions text[] NOT NULL
);

CREATE TABLE role_bindings (
    id           uuid PRIMARY KEY,
    principal_id uuid NOT NULL,
    role         text NOT NULL REFERENCES roles (name),
    level        text NOT NULL CHECK (level IN ('platform', 'organization', 'project')),
    org_id       uuid REFERENCES organizations (id),
    project_id   uuid REFERENCES projects (id),
    created_at   timestamptz NOT NULL DEFAULT now(),
    removed_at   timestamptz,
    CHECK ((level = 'platform') = (org_id IS NULL)),
    CHECK ((level = 'project') = (project_id IS NOT NULL))
);
CREATE INDEX ix_role_bindings_principal ON role_bindings (principal_id) WHERE removed_at IS NULL;

-- Public halves only: a private key never leaves the process that made it.
CREATE TABLE signing_keys (
    kid        text PRIMARY KEY,
    issuer     text NOT NULL,
    jwk        jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
