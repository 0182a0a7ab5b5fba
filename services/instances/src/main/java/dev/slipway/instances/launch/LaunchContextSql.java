package dev.slipway.instances.launch;

/** The statements of {@link LaunchContextStore}. */
final class LaunchContextSql {
    static final String LOCK = """
            SELECT p.facts, k.number, extract(epoch FROM now() - f.known_until)::float8 AS policy_age_s,
                EXISTS (SELECT FROM billing_prices) OR EXISTS (SELECT FROM billing_accounts a WHERE a.org_id = p.org_id)
                    OR EXISTS (SELECT FROM billing_budgets b WHERE b.project_id = p.id) AS billed
            FROM projects p, known_facts k, catalog_freshness f WHERE p.id = $1
            FOR NO KEY UPDATE OF p
            """;
    /** Columns of a statement over {@code projects p} and {@code organizations o}. */
    static final String POLICY_COLUMNS = """
            (SELECT extract(epoch FROM now() - f.known_until)::float8 FROM catalog_freshness f) AS policy_age_s,
            (SELECT coalesce(sum(k.version), 0)::bigint FROM policy_keys k) AS policy_stamp,
            (SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('level', l.level, 'subject_id', l.subject_id,
                    'version', l.version, 'values', l.said, 'hard_denies', l.hard_denies)), '[]'))::text
                FROM (VALUES ('global', 'platform'), ('plan', o.plan), ('organization', p.org_id::text),
                    ('department', p.department_id::text), ('project', p.id::text)) AS place (level, subject_id)
                JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id) AS policy_levels
            """;

    static final String FIND_INPUTS = "SELECT " + POLICY_COLUMNS + """
            , p.facts, (SELECT k.number FROM known_facts k) AS number, p.org_id, a.id AS app_id, v.id AS version_id, v.runtime_backend,
                   v.status AS version_status, coalesce(v.revision, 0) AS version_revision,
                   coalesce(v.artifact_sources, '{}') AS artifact_sources,
                   coalesce(e.enabled, false) AS entitled, coalesce(a.status = 'disabled', false) AS app_disabled,
                   coalesce(e.policy_overrides, '{}')::text AS overrides, e.id AS entitlement_id, e.revision AS entitlement_version,
                   s.id AS operator_id, u.id AS user_id,
                   EXISTS (SELECT FROM revoked_digests r WHERE r.digest = ANY (v.artifact_digests)) AS revoked
            FROM projects p
            JOIN organizations o ON o.id = p.org_id
            LEFT JOIN app_catalog a ON a.slug = $2
            LEFT JOIN app_versions v ON v.app_id = a.id AND v.version = $3
            LEFT JOIN project_app_entitlements e ON e.project_id = p.id AND e.app_id = a.id
            LEFT JOIN service_accounts s ON s.id = coalesce($4, p.operator_service_account_id)
                AND s.project_id = p.id AND s.org_id = p.org_id AND s.state = 'active' AND s.can_report
            LEFT JOIN users u ON u.id = $5
            WHERE p.id = $1
            """;
    /** Counts up to the limit. A statement of its own, because it must see what was committed before the lock was acquired. */
    static final String COUNT_INSTANCES = """
            SELECT count(*) AS live FROM (
                SELECT FROM app_instances WHERE project_id = $1 AND app_id = $2 AND status <> 'deleted' LIMIT $3) AS counted
            """;

    static final String FIND_POLICY_KEYS = """
            SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('id', id, 'version', version, 'state', state,
                'body', body)), '[]'))::text AS keys FROM policy_keys
            """;
    static final String FIND_MANIFEST = """
            SELECT manifest::text AS manifest, registry_versions::text AS registry_versions, revision FROM app_versions WHERE id = $1
            """;
    static final String FIND_ATTACHMENT = """
            SELECT id FROM shared_runtime_attachments WHERE shared_runtime_id = $1 AND project_id = $2 AND status = 'attached'
            """;
    static final String CONSUME_PLAN = """
            DELETE FROM {plans} WHERE id = $1 AND {owner} = $2
            RETURNING request::text AS request, outcome::text AS outcome, expires_at
            """;
    /**
     * A statement of its own, because it must see the reservations that were committed before the lock was acquired. No row if nothing limits
     * or has a price.
     */
    static final String FIND_SPENDING = """
            WITH limits AS (
                SELECT o.id, o.plan, a.state, a.at_zero, a.refuses_launches, b.amount, b.spent, b.period, b.at_limit, b.reservation_hours,
                    coalesce(a.currency, b.currency, $5) AS currency
                FROM organizations o
                LEFT JOIN billing_accounts a ON a.org_id = o.id
                LEFT JOIN billing_budgets b ON b.project_id = $2 AND b.org_id = o.id
                WHERE o.id = $1 AND (a.org_id IS NOT NULL OR b.project_id IS NOT NULL
                    OR EXISTS (SELECT FROM billing_prices WHERE unit = ANY ($3))))
            SELECT jsonb_build_object('currency', k.currency, 'state', k.state, 'at_zero', k.at_zero,
                'refuses_launches', coalesce(k.refuses_launches, false), 'amount', k.amount::text, 'spent', k.spent::text,
                'period', k.period, 'at_limit', k.at_limit, 'reservation_hours', coalesce(k.reservation_hours, 0),
                'reserved', CASE WHEN k.amount IS NULL THEN '0' ELSE (SELECT coalesce(sum(r.amount - r.committed), 0)::text
                    FROM budget_reservations r JOIN app_instances i ON i.id = r.app_instance_id AND i.project_id = r.project_id
                    WHERE r.project_id = $2 AND r.expires_at > $4 AND i.status NOT IN ('failed', 'deleted')) END,
                'prices', (SELECT coalesce(jsonb_agg(jsonb_build_object('unit', p.unit, 'price_id', p.id, 'version', p.version,
                        'highest_unit_price', p.highest::text) ORDER BY p.unit), '[]')
                    FROM (SELECT DISTINCT ON (unit) unit, id, version,
                            (SELECT max((tier ->> 'unit_price')::numeric) FROM jsonb_array_elements(tiers) AS tier) AS highest
                        FROM billing_prices
                        WHERE unit = ANY ($3) AND currency = k.currency AND valid_from <= $4 AND (scope = 'default'
                            OR (scope = 'plan' AND subject = k.plan) OR (scope = 'organization' AND subject = k.id::text))
                        ORDER BY unit, array_position(ARRAY['default', 'plan', 'organization'], scope) DESC, valid_from DESC,
                            version DESC) p),
                'as_of', (SELECT f.known_until FROM billing_freshness f))::text AS spending
            FROM limits k
            """;

    private LaunchContextSql() {}
}
