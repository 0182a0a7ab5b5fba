-- Everything that may be asked for. Seeded from the contract; products register more.
CREATE TABLE actions (
    action        text PRIMARY KEY,
    product       text NOT NULL,
    version       integer NOT NULL,
    risk_class    text NOT NULL CHECK (risk_class IN ('low', 'medium', 'high')),
    lifecycle     text NOT NULL CHECK (lifecycle IN ('draft', 'active', 'deprecated', 'retired')),
    description   text NOT NULL,
    default_roles text[] NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);

-- A built-in role has no organization, and its name for a key. An organization's own has its id for a key, and a label for people.
ALTER TABLE roles
    ADD COLUMN org_id     uuid REFERENCES organizations (id),
    ADD COLUMN label      text NOT NULL DEFAULT '',
    ADD COLUMN owner      boolean NOT NULL DEFAULT false,
    ADD COLUMN version    integer NOT NULL DEFAULT 1,
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN removed_at timestamptz,
    ADD CHECK (org_id IS NULL OR (NOT owner AND level IN ('organization', 'project'))),
    ADD CHECK (org_id IS NOT NULL OR removed_at IS NULL);
CREATE UNIQUE INDEX ux_roles_label ON roles (org_id, label) WHERE org_id IS NOT NULL AND removed_at IS NULL;
