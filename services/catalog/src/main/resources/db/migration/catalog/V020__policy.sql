-- What policy looks at, kept from IAM: the plan of an organization, the departments, and which of them a project is in.
CREATE TABLE organizations (
    id       uuid PRIMARY KEY,
    plan     text NOT NULL,
    revision bigint NOT NULL
);

CREATE TABLE departments (
    id       uuid PRIMARY KEY,
    org_id   uuid NOT NULL,
    revision bigint NOT NULL
);

ALTER TABLE projects ADD COLUMN department_id uuid;
ALTER TABLE projects ADD COLUMN revision bigint NOT NULL DEFAULT 0;
CREATE INDEX ix_projects_department ON projects (department_id);

-- What each level says now; version 0 is being written for the first time. A tenant's levels carry their organization.
CREATE TABLE policy_levels (
    level       text NOT NULL CHECK (level IN ('global', 'plan', 'organization', 'department', 'project')),
    subject_id  text NOT NULL,
    org_id      uuid,
    version     bigint NOT NULL,
    said        jsonb NOT NULL DEFAULT '{}',
    hard_denies jsonb NOT NULL DEFAULT '{}',
    author_id   uuid,
    author_name text,
    written_at  timestamptz,
    PRIMARY KEY (level, subject_id),
    CHECK ((org_id IS NULL) = (level IN ('global', 'plan')))
);

-- And every version that there ever was.
CREATE TABLE policy_versions (
    level       text NOT NULL,
    subject_id  text NOT NULL,
    org_id      uuid,
    version     bigint NOT NULL,
    said        jsonb NOT NULL,
    hard_denies jsonb NOT NULL,
    author_id   uuid NOT NULL,
    author_name text NOT NULL,
    written_at  timestamptz NOT NULL,
    PRIMARY KEY (level, subject_id, version),
    FOREIGN KEY (level, subject_id) REFERENCES policy_levels (level, subject_id)
);

CREATE INDEX ix_project_app_entitlements_page ON project_app_entitlements (project_id, created_at DESC, id DESC);
CREATE INDEX ix_project_app_entitlements_created ON project_app_entitlements (created_at DESC, id DESC);
CREATE INDEX ix_project_app_entitlements_org ON project_app_entitlements (org_id, created_at DESC, id DESC);
