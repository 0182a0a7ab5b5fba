-- What happened, for good: three kinds of facts, each known by the id of the event that told of it.
CREATE TABLE calls (
    event_id       uuid PRIMARY KEY,
    title          text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    correlation_id text NOT NULL,
    trace_id       text,
    org_id         uuid,
    project_id     uuid,
    principal_id   uuid,
    payload        jsonb NOT NULL
);
CREATE INDEX ix_calls_correlation ON calls (correlation_id, occurred_at, event_id);
CREATE INDEX ix_calls_org ON calls (org_id, occurred_at) WHERE org_id IS NOT NULL;
CREATE INDEX ix_calls_project ON calls (project_id, occurred_at) WHERE project_id IS NOT NULL;

CREATE TABLE audit_records (
    event_id       uuid PRIMARY KEY,
    title          text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    correlation_id text NOT NULL,
    trace_id       text,
    org_id         uuid,
    project_id     uuid,
    payload        jsonb NOT NULL
);
CREATE INDEX ix_audit_records_correlation ON audit_records (correlation_id, occurred_at, event_id);
CREATE INDEX ix_audit_records_org ON audit_records (org_id, occurred_at);
CREATE INDEX ix_audit_records_project ON audit_records (project_id, occurred_at);

CREATE TABLE events (
    event_id       uuid PRIMARY KEY,
    title          text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    correlation_id text NOT NULL,
    trace_id       text,
    org_id         uuid,
    project_id     uuid,
    payload        jsonb NOT NULL
);
CREATE INDEX ix_events_correlation ON events (correlation_id, occurred_at, event_id);
CREATE INDEX ix_events_org ON events (org_id, occurred_at);
CREATE INDEX ix_events_project ON events (project_id, occurred_at);

-- The service itself can add and read, and nothing else: not even its own bugs rewrite the trail.
REVOKE UPDATE, DELETE, TRUNCATE ON calls, audit_records, events FROM slipway_audit;
