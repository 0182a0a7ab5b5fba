-- The archive is partitioned by month. The existing tables become the default partitions, which also hold rows of months without a partition.
-- An event that is delivered twice has the same id and time.
ALTER TABLE events
    ADD COLUMN aggregate_id text GENERATED ALWAYS AS (coalesce(payload ->> 'app_instance_id', payload ->> 'shared_runtime_id')) STORED,
    ADD COLUMN sequence bigint GENERATED ALWAYS AS (
        CASE WHEN title LIKE 'apps.%' AND jsonb_typeof(payload -> 'sequence') = 'number' THEN (payload ->> 'sequence')::numeric::bigint END) STORED;

ALTER TABLE calls RENAME TO calls_default;
ALTER TABLE calls_default DROP CONSTRAINT calls_pkey, ADD PRIMARY KEY (event_id, occurred_at);
ALTER INDEX ix_calls_correlation RENAME TO ix_calls_default_correlation;
ALTER INDEX ix_calls_occurred_at RENAME TO ix_calls_default_occurred_at;
CREATE TABLE calls (LIKE calls_default INCLUDING DEFAULTS INCLUDING GENERATED) PARTITION BY RANGE (occurred_at);
ALTER TABLE calls ADD PRIMARY KEY (event_id, occurred_at);
CREATE INDEX ix_calls_correlation ON calls (correlation_id, occurred_at, event_id);
CREATE INDEX ix_calls_occurred_at ON calls USING brin (occurred_at);
ALTER TABLE calls ATTACH PARTITION calls_default DEFAULT;

ALTER TABLE audit_records RENAME TO audit_records_default;
ALTER TABLE audit_records_default DROP CONSTRAINT audit_records_pkey, ADD PRIMARY KEY (event_id, occurred_at);
ALTER INDEX ix_audit_records_correlation RENAME TO ix_audit_records_default_correlation;
DROP INDEX ix_audit_records_org, ix_audit_records_project;
CREATE TABLE audit_records (LIKE audit_records_default INCLUDING DEFAULTS INCLUDING GENERATED) PARTITION BY RANGE (occurred_at);
ALTER TABLE audit_records ADD PRIMARY KEY (event_id, occurred_at);
CREATE INDEX ix_audit_records_correlation ON audit_records (correlation_id, occurred_at, event_id);
ALTER TABLE audit_records ATTACH PARTITION audit_records_default DEFAULT;

ALTER TABLE events RENAME TO events_default;
ALTER TABLE events_default DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (event_id, occurred_at);
ALTER INDEX ix_events_correlation RENAME TO ix_events_default_correlation;
DROP INDEX ix_events_org, ix_events_project;
CREATE TABLE events (LIKE events_default INCLUDING DEFAULTS INCLUDING GENERATED) PARTITION BY RANGE (occurred_at);
ALTER TABLE events ADD PRIMARY KEY (event_id, occurred_at);
CREATE INDEX ix_events_correlation ON events (correlation_id, occurred_at, event_id);
CREATE INDEX ix_events_aggregate ON events (aggregate_id, sequence) WHERE sequence IS NOT NULL;
ALTER TABLE events ATTACH PARTITION events_default DEFAULT;

REVOKE UPDATE, TRUNCATE ON calls, calls_default FROM slipway_audit;
REVOKE UPDATE, DELETE, TRUNCATE ON audit_records, audit_records_default, events, events_default FROM slipway_audit;

-- The runtime role cannot create tables. It calls this function before a month begins. A month that has rows in the default partition stays there.
CREATE FUNCTION create_archive_partition(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    lower  timestamptz := date_trunc('month', month)::timestamp AT TIME ZONE 'UTC';
    upper  timestamptz := (date_trunc('month', month) + interval '1 month')::timestamp AT TIME ZONE 'UTC';
    parent text;
    name   text;
    filled boolean;
BEGIN
    FOREACH parent IN ARRAY ARRAY['calls', 'audit_records', 'events'] LOOP
        name := parent || '_' || to_char(month, 'YYYYMM');
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE occurred_at >= $1 AND occurred_at < $2)', parent || '_default')
                INTO filled USING lower, upper;
            IF NOT filled THEN
                EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name, parent, lower, upper);
                EXECUTE format('REVOKE UPDATE, TRUNCATE ON %I FROM slipway_audit', name);
                IF parent <> 'calls' THEN
                    EXECUTE format('REVOKE DELETE ON %I FROM slipway_audit', name);
                END IF;
            END IF;
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION create_archive_partition FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_archive_partition TO slipway_audit;
SELECT create_archive_partition(now()::date), create_archive_partition((now() + interval '1 month')::date);
