CREATE INDEX ix_usage_dimensions_instance ON usage_dimensions (app_instance_id) WHERE app_instance_id IS NOT NULL;
CREATE INDEX ix_usage_dimensions_runtime ON usage_dimensions (shared_runtime_id) WHERE shared_runtime_id IS NOT NULL;
CREATE INDEX ix_usage_months_dimension ON usage_months (dimension);

-- What adapters reported before facts existed becomes facts. The hash is that of a fact that an adapter reports again.
CREATE TEMPORARY TABLE reported ON COMMIT DROP AS
SELECT u.app_instance_id || '/' || u.usage_id AS fact_id, u.unit, u.quantity, u.window_start, u.window_end, u.org_id, u.project_id,
    u.app_instance_id, NULL::uuid AS shared_runtime_id, NULL::uuid AS attachment_id, NULL::uuid AS source_project_id, u.app_slug,
    m.operating_mode, m.control_plane_scope, m.runtime_backend, u.correlation_id
FROM reported_usage u LEFT JOIN metered_instances m ON m.app_instance_id = u.app_instance_id
UNION ALL
SELECT u.shared_runtime_id || '/' || u.usage_id, u.unit, u.quantity, u.window_start, u.window_end, u.org_id, u.project_id,
    NULL, u.shared_runtime_id, u.attachment_id, u.source_project_id, u.app_slug, 'tenant_dedicated', 'tenant', NULL, u.correlation_id
FROM reported_runtime_usage u;

SELECT create_usage_period(month::date)
FROM (SELECT DISTINCT date_trunc('month', (window_end - interval '1 microsecond') AT TIME ZONE 'UTC') AS month FROM reported) AS months;

WITH claimed AS (
    INSERT INTO usage_fact_ids (source, fact_id, body_hash, fact_key, period)
    SELECT 'adapter', fact_id, sha256(convert_to(
            unit || E'\x1f\x1f' || trim_scale(quantity)::text || E'\x1f\x1f' || (extract(epoch FROM window_start) * 1000000)::bigint || E'\x1f'
            || (extract(epoch FROM window_end) * 1000000)::bigint || E'\x1f' || org_id || E'\x1f' || coalesce(project_id::text, '') || E'\x1f'
            || coalesce(app_instance_id::text, '') || E'\x1f' || coalesce(shared_runtime_id::text, '') || E'\x1f'
            || coalesce(attachment_id::text, '') || E'\x1f' || coalesce(source_project_id::text, '') || E'\x1f' || app_slug
            || repeat(E'\x1f', 8), 'UTF8')),
        nextval('usage_fact_keys'), date_trunc('month', (window_end - interval '1 microsecond') AT TIME ZONE 'UTC')::date
    FROM reported
    RETURNING fact_id, body_hash, fact_key, period
), facts AS (
    INSERT INTO usage_facts (fact_key, source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id, project_id,
        app_instance_id, shared_runtime_id, attachment_id, source_project_id, app_slug, operating_mode, control_plane_scope, runtime_backend,
        correlation_id, period, body_hash)
    SELECT c.fact_key, 'adapter', c.fact_id, r.unit, 1, r.quantity, r.window_start, r.window_end, r.org_id, r.project_id, r.app_instance_id,
        r.shared_runtime_id, r.attachment_id, r.source_project_id, r.app_slug, r.operating_mode, r.control_plane_scope, r.runtime_backend,
        r.correlation_id, c.period, c.body_hash
    FROM reported r JOIN claimed c USING (fact_id)
    RETURNING *
), unrated AS (
    INSERT INTO unrated_facts (fact_key, period) SELECT fact_key, period FROM facts
), dimensions AS (
    INSERT INTO usage_dimensions
    SELECT DISTINCT ON (dimension) dimension, source, org_id, project_id, app_instance_id, shared_runtime_id, attachment_id, source_project_id,
        app_slug, operating_mode, control_plane_scope, runtime_backend, resource_type, resource_id, actor
    FROM facts
), hours AS (
    INSERT INTO usage_hours
    SELECT org_id, date_trunc('hour', window_end - interval '1 microsecond', 'UTC'), dimension, unit, unit_version, period, sum(quantity), count(*)
    FROM facts GROUP BY 1, 2, 3, 4, 5, 6
)
INSERT INTO usage_months
SELECT org_id, date_trunc('month', (window_end - interval '1 microsecond') AT TIME ZONE 'UTC')::date, dimension, unit, unit_version, period,
    sum(quantity), count(*)
FROM facts GROUP BY 1, 2, 3, 4, 5, 6;

DROP TABLE reported_usage, reported_runtime_usage;
