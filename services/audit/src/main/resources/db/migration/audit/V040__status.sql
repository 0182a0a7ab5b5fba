-- The processes that have reported, with the totals of their last report. A report that is not newer is ignored.
CREATE TABLE status_processes (
    process_id      uuid PRIMARY KEY,
    environment     text NOT NULL,
    host            text NOT NULL,
    version         text NOT NULL,
    source_commit   text,
    artifact_digest text,
    config_profile  text NOT NULL,
    started_at      timestamptz NOT NULL,
    observed_at     timestamptz NOT NULL,
    stopping        boolean NOT NULL,
    components      jsonb NOT NULL,
    indicators      jsonb NOT NULL,
    ages            jsonb NOT NULL,
    refusals        jsonb NOT NULL
);
CREATE INDEX status_processes_observed ON status_processes (observed_at);

-- When the number of refused writes of a process last grew.
CREATE TABLE status_refusals (
    process_id      uuid NOT NULL REFERENCES status_processes ON DELETE CASCADE,
    reason          text NOT NULL,
    total           bigint NOT NULL,
    last_refused_at timestamptz,
    PRIMARY KEY (process_id, reason)
);

CREATE TABLE status_component_settings (
    component_id text PRIMARY KEY,
    display_name text NOT NULL,
    public       boolean NOT NULL,
    version      bigint NOT NULL
);

-- Good and total events of an objective by five minutes.
CREATE TABLE slo_buckets (
    slo_id       text NOT NULL,
    slo_version  integer NOT NULL,
    bucket_start timestamptz NOT NULL,
    good         bigint NOT NULL,
    total        bigint NOT NULL,
    PRIMARY KEY (slo_id, slo_version, bucket_start)
);

-- The results that SLAs refer to: one row per objective and hour, written once.
CREATE TABLE slo_evidence (
    evidence_id  uuid PRIMARY KEY,
    slo_id       text NOT NULL,
    slo_version  integer NOT NULL,
    window_start timestamptz NOT NULL,
    window_end   timestamptz NOT NULL,
    good         bigint NOT NULL,
    total        bigint NOT NULL,
    objective    double precision NOT NULL,
    met          boolean,
    digest       text NOT NULL,
    recorded_at  timestamptz NOT NULL,
    UNIQUE (slo_id, slo_version, window_start)
);

CREATE TABLE incidents (
    incident_id     uuid PRIMARY KEY,
    title           text NOT NULL,
    summary         text,
    severity        text NOT NULL CHECK (severity IN ('critical', 'major', 'minor')),
    status          text NOT NULL CHECK (status IN ('open', 'acknowledged', 'mitigated', 'resolved')),
    public          boolean NOT NULL,
    components      text[] NOT NULL,
    org_ids         uuid[] NOT NULL,
    source          text NOT NULL CHECK (source IN ('operator', 'alertmanager')),
    group_key       text,
    postmortem_url  text,
    version         bigint NOT NULL,
    opened_at       timestamptz NOT NULL,
    acknowledged_at timestamptz,
    mitigated_at    timestamptz,
    resolved_at     timestamptz,
    updated_at      timestamptz NOT NULL
);
CREATE INDEX incidents_opened ON incidents (opened_at DESC, incident_id DESC);
CREATE INDEX incidents_unresolved ON incidents (opened_at) WHERE status <> 'resolved';
-- An alert group has at most one incident that is not resolved. Group keys are too long for an index.
CREATE UNIQUE INDEX incidents_group_key ON incidents (md5(group_key)) WHERE group_key IS NOT NULL AND status <> 'resolved';
CREATE INDEX incidents_org_ids ON incidents USING gin (org_ids);

CREATE TABLE incident_updates (
    update_id   uuid PRIMARY KEY,
    incident_id uuid NOT NULL REFERENCES incidents,
    status      text NOT NULL,
    message     text NOT NULL,
    public      boolean NOT NULL,
    author      text NOT NULL,
    created_at  timestamptz NOT NULL
);
CREATE INDEX incident_updates_incident ON incident_updates (incident_id, created_at DESC);

CREATE TABLE incident_alerts (
    incident_id uuid NOT NULL REFERENCES incidents,
    fingerprint text NOT NULL,
    name        text NOT NULL,
    status      text NOT NULL CHECK (status IN ('firing', 'resolved')),
    labels      jsonb NOT NULL,
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz,
    PRIMARY KEY (incident_id, fingerprint)
);

CREATE TABLE maintenance (
    maintenance_id uuid PRIMARY KEY,
    title          text NOT NULL,
    description    text NOT NULL,
    status         text NOT NULL CHECK (status IN ('scheduled', 'in_progress', 'completed', 'canceled')),
    public         boolean NOT NULL,
    components     text[] NOT NULL,
    org_ids        uuid[] NOT NULL,
    version        bigint NOT NULL,
    starts_at      timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL
);
CREATE INDEX maintenance_created ON maintenance (created_at DESC, maintenance_id DESC);
CREATE INDEX maintenance_current ON maintenance (starts_at) WHERE status IN ('scheduled', 'in_progress');

-- Evidence and updates are only appended.
REVOKE UPDATE, DELETE, TRUNCATE ON slo_evidence, incident_updates FROM slipway_audit;
