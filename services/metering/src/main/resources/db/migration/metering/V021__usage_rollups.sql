-- The audit entry of the request or batch that reported the fact.
ALTER TABLE usage_facts ADD COLUMN audit_entry_id uuid;

-- The usage units of the registry, from catalog.state.
CREATE TABLE usage_units (
    id              text PRIMARY KEY,
    version         int NOT NULL,
    precision       int NOT NULL,
    rating_category text NOT NULL,
    product_id      text NOT NULL,
    display_name    text NOT NULL,
    lifecycle       text NOT NULL
);

-- The combinations of attribution fields that facts have.
CREATE TABLE usage_dimensions (
    dimension           uuid PRIMARY KEY,
    source              text NOT NULL,
    org_id              uuid NOT NULL,
    project_id          uuid,
    app_instance_id     uuid,
    shared_runtime_id   uuid,
    attachment_id       uuid,
    source_project_id   uuid,
    app_slug            text,
    operating_mode      text,
    control_plane_scope text,
    runtime_backend     text,
    resource_type       text,
    resource_id         text,
    actor               text
);
CREATE INDEX ix_usage_dimensions_org ON usage_dimensions (org_id, project_id);

-- Sums of facts by the hour and month of the last instant of their window, updated in the transaction that inserts the facts. period is the
-- month of the booking.
CREATE TABLE usage_hours (
    org_id       uuid NOT NULL,
    hour         timestamptz NOT NULL,
    dimension    uuid NOT NULL,
    unit         text NOT NULL,
    unit_version int NOT NULL,
    period       date NOT NULL,
    quantity     numeric NOT NULL,
    facts        bigint NOT NULL,
    PRIMARY KEY (org_id, hour, dimension, unit, unit_version, period)
);
CREATE TABLE usage_months (
    org_id       uuid NOT NULL,
    month        date NOT NULL,
    dimension    uuid NOT NULL,
    unit         text NOT NULL,
    unit_version int NOT NULL,
    period       date NOT NULL,
    quantity     numeric NOT NULL,
    facts        bigint NOT NULL,
    PRIMARY KEY (org_id, month, dimension, unit, unit_version, period)
);
REVOKE DELETE, TRUNCATE ON usage_dimensions FROM slipway_metering;

-- Reported facts that were not counted: conflicts, and invalid facts from the topic, whose sender gets no response.
CREATE TABLE usage_refusals (
    refusal_id     uuid PRIMARY KEY,
    received_at    timestamptz NOT NULL,
    outcome        text NOT NULL,
    source         text NOT NULL,
    fact_id        text NOT NULL,
    org_id         uuid,
    project_id     uuid,
    field          text,
    problem        text NOT NULL,
    received_hash  text,
    stored_hash    text,
    correlation_id text,
    UNIQUE NULLS NOT DISTINCT (source, fact_id, outcome, received_hash)
);
CREATE INDEX ix_usage_refusals_org ON usage_refusals (org_id, received_at DESC, refusal_id DESC);
CREATE INDEX ix_usage_refusals_project ON usage_refusals (project_id, received_at DESC, refusal_id DESC);
