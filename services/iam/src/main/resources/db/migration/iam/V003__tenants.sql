ALTER TABLE organizations
    ADD COLUMN plan       text NOT NULL DEFAULT 'standard',
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN deleted_at timestamptz;

-- What groups projects within an organization. Each organization has one by default, where projects are when nothing else is said.
CREATE TABLE departments (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL REFERENCES organizations (id),
    slug         text NOT NULL,
    display_name text NOT NULL,
    is_default   boolean NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz CHECK (deleted_at IS NULL OR NOT is_default),
    UNIQUE (org_id, slug),
    UNIQUE (id, org_id)
);
CREATE UNIQUE INDEX ux_departments_default ON departments (org_id) WHERE is_default;
INSERT INTO departments (id, org_id, slug, display_name, is_default)
SELECT gen_random_uuid(), id, 'default', 'Default', true FROM organizations;

ALTER TABLE projects
    ADD COLUMN department_id uuid,
    ADD COLUMN updated_at    timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN deleted_at    timestamptz,
    ADD FOREIGN KEY (department_id, org_id) REFERENCES departments (id, org_id);
UPDATE projects p SET department_id = d.id FROM departments d WHERE d.org_id = p.org_id AND d.is_default;
ALTER TABLE projects ALTER COLUMN department_id SET NOT NULL;
CREATE INDEX ix_projects_org ON projects (org_id, created_at DESC, id DESC);

ALTER TABLE users ADD COLUMN disabled_at timestamptz;
CREATE INDEX ix_users_created ON users (created_at DESC, id DESC);

CREATE TABLE groups (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL REFERENCES organizations (id),
    slug         text NOT NULL,
    display_name text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    UNIQUE (org_id, slug),
    UNIQUE (id, org_id)
);

CREATE TABLE group_members (
    group_id   uuid NOT NULL,
    org_id     uuid NOT NULL,
    user_id    uuid NOT NULL REFERENCES users (id),
    added_at   timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (group_id, user_id),
    FOREIGN KEY (group_id, org_id) REFERENCES groups (id, org_id)
);
CREATE INDEX ix_group_members_user ON group_members (user_id) WHERE removed_at IS NULL;
CREATE INDEX ix_group_members_org ON group_members (org_id) WHERE removed_at IS NULL;

-- Where it is held, as one id: the project's, or else the organization's, or else the platform's, which is nil.
ALTER TABLE role_bindings
    ADD COLUMN principal_type text NOT NULL DEFAULT 'user' CHECK (principal_type IN ('user', 'group')),
    ADD COLUMN expires_at     timestamptz,
    ADD COLUMN place_id       uuid NOT NULL
        GENERATED ALWAYS AS (coalesce(project_id, org_id, '00000000-0000-0000-0000-000000000000')) STORED;
CREATE UNIQUE INDEX ux_role_bindings_live ON role_bindings (principal_id, role, place_id) WHERE removed_at IS NULL;
CREATE INDEX ix_role_bindings_place ON role_bindings (place_id, created_at DESC, id DESC) WHERE removed_at IS NULL;
CREATE INDEX ix_role_bindings_org ON role_bindings (org_id) WHERE removed_at IS NULL;

-- Which topic, by the broker's own id, has been told everything, and in which layout of the records.
CREATE TABLE announced (
    topic    text PRIMARY KEY,
    topic_id text NOT NULL,
    layout   integer NOT NULL
);
