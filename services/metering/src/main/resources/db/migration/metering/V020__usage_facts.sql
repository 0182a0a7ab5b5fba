-- Months in which usage is booked. A fact whose own month is closed is booked in the next open month.
CREATE TABLE usage_periods (
    period    date PRIMARY KEY CHECK (period = date_trunc('month', period)::date),
    closed_at timestamptz
);

CREATE SEQUENCE usage_fact_keys;

-- Every usage fact, permanent. A correction is a further fact whose quantity is the signed difference to the fact that it references.
-- period is the month of the last instant of the window, or the next open month if that one was closed when the fact arrived.
CREATE TABLE usage_facts (
    fact_key            bigint NOT NULL DEFAULT nextval('usage_fact_keys'),
    source              text NOT NULL,
    fact_id             text NOT NULL,
    unit                text NOT NULL,
    unit_version        int NOT NULL,
    quantity            numeric NOT NULL CHECK (quantity >= 0 OR corrects_fact_id IS NOT NULL),
    window_start        timestamptz NOT NULL,
    window_end          timestamptz NOT NULL CHECK (window_end > window_start),
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
    actor               text,
    correlation_id      text,
    trace_id            text,
    corrects_source     text,
    corrects_fact_id    text,
    period              date NOT NULL,
    received_at         timestamptz NOT NULL DEFAULT now(),
    body_hash           bytea NOT NULL,
    -- Identifies the combination of attribution fields. Generated, so that it cannot differ from the fields.
    dimension           uuid NOT NULL GENERATED ALWAYS AS (md5(
        source || E'\x1f' || org_id::text || E'\x1f' || coalesce(project_id::text, '') || E'\x1f' || coalesce(app_instance_id::text, '') || E'\x1f'
        || coalesce(shared_runtime_id::text, '') || E'\x1f' || coalesce(attachment_id::text, '') || E'\x1f'
        || coalesce(source_project_id::text, '') || E'\x1f' || coalesce(app_slug, '') || E'\x1f' || coalesce(operating_mode, '') || E'\x1f'
        || coalesce(control_plane_scope, '') || E'\x1f' || coalesce(runtime_backend, '') || E'\x1f' || coalesce(resource_type, '') || E'\x1f'
        || coalesce(resource_id, '') || E'\x1f' || coalesce(actor, ''))::uuid) STORED,
    PRIMARY KEY (fact_key, period),
    CHECK ((corrects_source IS NULL) = (corrects_fact_id IS NULL))
) PARTITION BY RANGE (period);
CREATE INDEX ix_usage_facts_org ON usage_facts (org_id, window_end);
CREATE INDEX ix_usage_facts_corrects ON usage_facts (corrects_source, corrects_fact_id) WHERE corrects_fact_id IS NOT NULL;

-- The ids of all facts, permanent: a fact counts once however often and however late it is reported again. Not partitioned, because a
-- unique key of a partitioned table is only unique per period.
CREATE TABLE usage_fact_ids (
    source    text NOT NULL,
    fact_id   text NOT NULL,
    body_hash bytea NOT NULL,
    fact_key  bigint NOT NULL,
    period    date NOT NULL,
    PRIMARY KEY (source, fact_id)
);

-- Facts that have no rated lines yet. Inserted with the fact, deleted with the insertion of its rated lines.
CREATE TABLE unrated_facts (
    fact_key bigint PRIMARY KEY,
    period   date NOT NULL
);

REVOKE UPDATE, DELETE, TRUNCATE ON usage_facts, usage_fact_ids FROM slipway_metering;
REVOKE DELETE, TRUNCATE ON usage_periods FROM slipway_metering;

-- The runtime role cannot create tables. It calls this function for the first fact of a month.
CREATE FUNCTION create_usage_period(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    first date := date_trunc('month', month);
    name  text := 'usage_facts_' || to_char(first, 'YYYYMM');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('create_usage_period'));
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF usage_facts FOR VALUES FROM (%L) TO (%L)', name, first, (first + interval '1 month')::date);
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM slipway_metering', name);
    END IF;
    INSERT INTO usage_periods (period) VALUES (first) ON CONFLICT DO NOTHING;
END $$;
REVOKE ALL ON FUNCTION create_usage_period(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_usage_period(date) TO slipway_metering;
SELECT create_usage_period((date_trunc('month', now()) + make_interval(months => n))::date) FROM generate_series(-1, 2) n;
