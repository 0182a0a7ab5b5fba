-- What policy says, kept from the catalog, and what decides which of its levels speak to a project.
CREATE TABLE policy_levels (
    level       text NOT NULL,
    subject_id  text NOT NULL,
    version     bigint NOT NULL,
    said        jsonb NOT NULL,
    hard_denies jsonb NOT NULL,
    PRIMARY KEY (level, subject_id)
);

CREATE TABLE policy_keys (
    id      text PRIMARY KEY,
    version bigint NOT NULL,
    state   text NOT NULL,
    body    jsonb NOT NULL
);

-- Revision 0 lets the snapshots, which are read again from their beginning, fill in what is new.
ALTER TABLE organizations ADD COLUMN plan text NOT NULL DEFAULT '';
UPDATE organizations SET revision = 0;
ALTER TABLE projects ADD COLUMN department_id uuid;
UPDATE projects SET revision = 0;

ALTER TABLE app_instances ADD COLUMN placement_intent jsonb NOT NULL DEFAULT '{}';
ALTER TABLE app_instances ADD COLUMN policy_version text;
CREATE INDEX ix_app_instances_live ON app_instances (project_id, app_id) WHERE status <> 'deleted';

ALTER TABLE app_versions DROP CONSTRAINT app_versions_status_check;
ALTER TABLE app_versions ADD CONSTRAINT app_versions_status_check
    CHECK (status IN ('draft', 'active', 'deprecated', 'disabled', 'retired'));
