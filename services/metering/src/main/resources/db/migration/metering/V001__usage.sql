-- Whom an instance's usage belongs to, and how far its events have been counted.
CREATE TABLE metered_instances (
    app_instance_id     uuid PRIMARY KEY,
    org_id              uuid NOT NULL,
    project_id          uuid NOT NULL,
    app_slug            text NOT NULL,
    operating_mode      text NOT NULL,
    control_plane_scope text NOT NULL,
    runtime_backend     text NOT NULL,
    correlation_id      text NOT NULL,
    last_sequence       bigint NOT NULL,
    first_started_at    timestamptz
);
CREATE INDEX ix_metered_instances_page ON metered_instances (project_id, first_started_at DESC, app_instance_id DESC)
    WHERE first_started_at IS NOT NULL;

-- When an instance ran; an interval without an end is still going on. Every total is a sum over these.
CREATE TABLE running_intervals (
    app_instance_id uuid NOT NULL REFERENCES metered_instances,
    sequence        bigint NOT NULL,
    project_id      uuid NOT NULL,
    started_at      timestamptz NOT NULL,
    ended_at        timestamptz CHECK (ended_at >= started_at),
    PRIMARY KEY (app_instance_id, sequence)
);
-- An instance runs once at a time: nothing is counted twice.
CREATE UNIQUE INDEX ux_running_intervals_open ON running_intervals (app_instance_id) WHERE ended_at IS NULL;
