-- The instances that were launched, from their events: who would be hit by a change of policy, and what still runs a version.
CREATE TABLE launched_instances (
    id                  uuid PRIMARY KEY,
    org_id              uuid NOT NULL,
    project_id          uuid NOT NULL,
    app_slug            text NOT NULL,
    app_version         text NOT NULL,
    status              text NOT NULL,
    operating_mode      text NOT NULL,
    control_plane_scope text NOT NULL,
    region              text,
    sku                 text,
    gpu_count           integer,
    policy_version      text,
    sequence            bigint NOT NULL
);
CREATE INDEX ix_launched_instances_version ON launched_instances (app_slug, app_version) WHERE status <> 'deleted';
CREATE INDEX ix_launched_instances_project ON launched_instances (project_id, app_slug) WHERE status <> 'deleted';
