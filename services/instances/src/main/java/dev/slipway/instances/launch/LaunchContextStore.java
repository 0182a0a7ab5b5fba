package dev.slipway.instances.launch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.LaunchContext.Quota;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.spending.SpendingRow;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.NotReplicatedException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Locks the project of a launch and loads everything that the decision on it needs: eligibility, policy, quota, manifest, plan and
 * limits of spending.
 *
 * <p>The inputs come from nine tables and rarely change. They are cached with two version numbers that the database increments with every
 * change of them, and read again when one of the numbers differs. Manifests are cached too: a published one does not change.
 */
public final class LaunchContextStore {
    private static final String LOCK = """
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

    private static final String FIND_INPUTS = "SELECT " + POLICY_COLUMNS + """
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
    private static final String COUNT_INSTANCES = """
            SELECT count(*) AS live FROM (
                SELECT FROM app_instances WHERE project_id = $1 AND app_id = $2 AND status <> 'deleted' LIMIT $3) AS counted
            """;

    private static final String FIND_POLICY_KEYS = """
            SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('id', id, 'version', version, 'state', state,
                'body', body)), '[]'))::text AS keys FROM policy_keys
            """;
    private static final String FIND_MANIFEST = """
            SELECT manifest::text AS manifest, registry_versions::text AS registry_versions, revision FROM app_versions WHERE id = $1
            """;
    private static final String FIND_ATTACHMENT = """
            SELECT id FROM shared_runtime_attachments WHERE shared_runtime_id = $1 AND project_id = $2 AND status = 'attached'
            """;
    private static final String CONSUME_PLAN = """
            DELETE FROM {plans} WHERE id = $1 AND {owner} = $2
            RETURNING request::text AS request, outcome::text AS outcome, expires_at
            """;
    /**
     * A statement of its own, because it must see the reservations that were committed before the lock was acquired. No row if nothing limits
     * or has a price.
     */
    private static final String FIND_SPENDING = """
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

    private static final int MAX_CACHED_INPUTS = 2_000;

    private final ManifestCache manifests;
    private final SqlClient reads;
    private final PolicyFreshness freshness;
    private final Duration maxBillingAge;
    private final String defaultCurrency;
    private final PolicyMetrics metrics;
    private final Cache<LaunchInputs.Key, LaunchInputs> inputs =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_INPUTS).build();
    private volatile CachedKeys cachedKeys = new CachedKeys(0, LaunchPolicy.parseKeys("{}"));

    /** {@code defaultCurrency} is that of organizations for which metering has published none. */
    public LaunchContextStore(
            ManifestCache manifests,
            SqlClient reads,
            PolicyFreshness freshness,
            Duration maxBillingAge,
            String defaultCurrency,
            PolicyMetrics metrics) {
        this.manifests = manifests;
        this.reads = reads;
        this.freshness = freshness;
        this.maxBillingAge = maxBillingAge;
        this.defaultCurrency = defaultCurrency;
        this.metrics = metrics;
    }

    private record CachedKeys(long stamp, PolicyKeys keys) {}

    /**
     * The project that a launch has locked.
     *
     * @param billed false if neither a price nor a limit of spending can apply
     */
    private record Locked(LaunchInputs inputs, boolean billed) {}

    /**
     * Loads the context of a launch; {@code planId} consumes that plan. The instances are counted in the same round trip as the project is
     * locked, by the cached inputs, and again if these turn out to be outdated.
     */
    public Future<LaunchContext> load(UnitOfWork unit, Launch launch, @Nullable UUID planId) {
        var expected = inputs.getIfPresent(LaunchInputs.Key.of(launch));
        var locked = lock(unit, launch);
        var counted = expected == null ? null : countInstances(unit, launch, expected);
        return locked.compose(project -> {
            var found = project.inputs;
            var used = counted != null && found.equals(expected) ? counted : countInstances(unit, launch, found);
            return used.compose(quota -> loadConfigured(
                                    unit,
                                    found.versionId(),
                                    found.versionRevision(),
                                    launch.config(),
                                    ConfigSource.REQUEST)
                            .compose(configured -> consumePlan(
                                            unit, PlanTable.APP_INSTANCES, launch.projectId(), planId)
                                    .map(plan -> toContext(Purpose.LAUNCH, launch, found, quota, configured, plan))))
                    .compose(context -> isAttached(unit, launch).map(context::withAttached))
                    .compose(context ->
                            loadSpending(unit, launch, context, project.billed).map(context::withSpending));
        });
    }

    private Future<Spending> loadSpending(UnitOfWork unit, Launch launch, LaunchContext context, boolean billed) {
        var usage = context.expectedUsage();
        return billed
                ? loadSpending(unit, context.eligibility().orgId(), launch.projectId(), usage)
                : Future.succeededFuture(Spending.unlimited(defaultCurrency, usage));
    }

    /** Loads the context of a change to another version: it needs no quota. */
    public Future<LaunchContext> loadForChange(UnitOfWork unit, Launch launch, ConfigSource source) {
        var purpose = source == ConfigSource.PREVIOUS ? Purpose.ROLLBACK : Purpose.UPGRADE;
        return lock(unit, launch).map(Locked::inputs).compose(found -> loadConfigured(
                        unit, found.versionId(), found.versionRevision(), launch.config(), source)
                .map(configured -> toContext(purpose, launch, found, null, configured, null)));
    }

    /** Deletes the plan that a request consumes, and returns it; if the request fails, the transaction keeps the plan. */
    public static Future<@Nullable LaunchPlan> consumePlan(
            UnitOfWork unit, PlanTable table, UUID ownerId, @Nullable UUID planId) {
        if (planId == null) {
            return Future.succeededFuture();
        }
        return unit.query(table.sql(CONSUME_PLAN), Tuple.of(planId, ownerId)).map(rows -> {
            if (rows.size() == 0) {
                throw LaunchPlan.notFound(planId);
            }
            var row = rows.iterator().next();
            LaunchPlan.requireUnexpired(SqlTime.read(row, "expires_at"), unit.now());
            return LaunchPlan.ofStored(row.getString("request"), row.getString("outcome"));
        });
    }

    /** Loads the limits of an organization, and of a project unless it is null. The caller has locked the narrower of them. */
    public Future<Spending> loadSpending(UnitOfWork unit, UUID orgId, @Nullable UUID projectId, ExpectedUsage usage) {
        var now = unit.now();
        var parameters = Tuple.from(new @Nullable Object[] {
            orgId, projectId, usage.units().toArray(String[]::new), SqlTime.of(now), defaultCurrency
        });
        return unit.query(FIND_SPENDING, parameters)
                .map(rows -> rows.size() == 0
                        ? Spending.unlimited(defaultCurrency, usage)
                        : SpendingRow.parse(rows.iterator().next().getString("spending"))
                                .toSpending(usage, maxBillingAge, now));
    }

    private static Future<Boolean> isAttached(UnitOfWork unit, Launch launch) {
        return launch.sharedRuntimeId() == null
                ? Future.succeededFuture(false)
                : unit.query(FIND_ATTACHMENT, Tuple.of(launch.sharedRuntimeId(), launch.projectId()))
                        .map(rows -> rows.size() > 0);
    }

    private LaunchContext toContext(
            Purpose purpose,
            Launch launch,
            LaunchInputs found,
            @Nullable Quota quota,
            ConfiguredManifest configured,
            @Nullable LaunchPlan plan) {
        var started = System.nanoTime();
        var evaluation = found.evaluate(purpose, launch, quota);
        var byPolicy = evaluation.policyRefusal();
        metrics.recordDecision(byPolicy == null ? null : byPolicy.code(), System.nanoTime() - started);
        return new LaunchContext(
                evaluation.eligibility(),
                configured.manifest(),
                configured.config(),
                found.policy(),
                evaluation.quota(),
                plan);
    }

    /** Loads the manifest of the version that an instance or a shared runtime runs. */
    public Future<CompiledManifest> loadManifest(UnitOfWork unit, AppVersionRef app) {
        return loadManifest(unit, app.versionId(), 0);
    }

    public Future<CompiledManifest> loadManifest(UnitOfWork unit, UUID versionId, long revision) {
        var cached = manifests.find(versionId, revision);
        return cached != null
                ? Future.succeededFuture(cached)
                : unit.query(FIND_MANIFEST, Tuple.of(versionId)).compose(rows -> compile(versionId, rows));
    }

    /** Finds the manifest of the version that a shared runtime runs, outside a transaction. */
    public Future<CompiledManifest> findManifest(AppVersionRef app) {
        var cached = manifests.find(app.versionId(), 0);
        return cached != null
                ? Future.succeededFuture(cached)
                : reads.preparedQuery(FIND_MANIFEST)
                        .execute(Tuple.of(app.versionId()))
                        .compose(rows -> compile(app.versionId(), rows));
    }

    private Future<CompiledManifest> compile(UUID versionId, RowSet<Row> rows) {
        var row = rows.iterator().next();
        return manifests.compile(
                versionId, row.getString("manifest"), row.getString("registry_versions"), row.getLong("revision"));
    }

    /** Loads the manifest of a version, and resolves launch parameters by it; without a version they stay as they are. */
    public Future<ConfiguredManifest> loadConfigured(
            UnitOfWork unit, @Nullable UUID versionId, long revision, String config, ConfigSource source) {
        if (versionId == null) {
            return Future.succeededFuture(new ConfiguredManifest(null, new ResolvedConfig(config, List.of())));
        }
        return loadManifest(unit, versionId, revision).compose(manifest -> manifests
                .resolve(manifest, config, source)
                .map(resolved -> new ConfiguredManifest(manifest, resolved)));
    }

    private Future<Locked> lock(UnitOfWork unit, Launch launch) {
        var key = LaunchInputs.Key.of(launch);
        return unit.query(LOCK, Tuple.of(launch.projectId())).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(notReplicated());
            }
            var row = rows.iterator().next();
            freshness.requireFresh(row.getDouble("policy_age_s"));
            var cached = inputs.getIfPresent(key);
            var current = cached != null
                            && cached.projectVersion() == row.getLong("facts")
                            && cached.globalVersion() == row.getLong("number")
                    ? Future.succeededFuture(cached)
                    : findInputs(unit, key).onSuccess(found -> inputs.put(key, found));
            return current.map(found -> new Locked(found, row.getBoolean("billed")));
        });
    }

    private Future<LaunchInputs> findInputs(UnitOfWork unit, LaunchInputs.Key key) {
        var parameters = Tuple.of(key.projectId(), key.appSlug(), key.version(), key.operatorId(), key.userId());
        return unit.query(FIND_INPUTS, parameters).compose(rows -> {
            if (rows.size() == 0 || rows.iterator().next().getUUID("user_id") == null) {
                // The caller is authorized, so both exist; they have not arrived here.
                return Future.failedFuture(notReplicated());
            }
            var row = rows.iterator().next();
            return parsePolicy(unit, row).map(policy -> toInputs(row, policy));
        });
    }

    private static LaunchInputs toInputs(Row row, LaunchPolicy levels) {
        var entitlementId = row.getUUID("entitlement_id");
        var policy = entitlementId == null
                ? levels
                : levels.withEntitlement(entitlementId, row.getLong("entitlement_version"), row.getString("overrides"));
        var versionId = row.getUUID("version_id");
        return new LaunchInputs(
                row.getLong("facts"),
                row.getLong("number"),
                row.getUUID("org_id"),
                row.getUUID("app_id"),
                versionId == null ? null : new Version(versionId, row.getString("runtime_backend")),
                row.getLong("version_revision"),
                row.getBoolean("app_disabled"),
                row.getBoolean("entitled"),
                versionId == null ? null : TextEnum.parse(VersionStatus.class, row.getString("version_status")),
                row.getBoolean("revoked"),
                policy.effective(),
                List.of(row.getArrayOfStrings("artifact_sources")),
                row.getUUID("operator_id"));
    }

    private static Future<@Nullable Quota> countInstances(UnitOfWork unit, Launch launch, LaunchInputs found) {
        var limit = found.policy().limit(PolicyKeys.MAX_INSTANCES);
        if (limit.isEmpty() || found.appId() == null) {
            return Future.succeededFuture();
        }
        return unit.query(COUNT_INSTANCES, Tuple.of(launch.projectId(), found.appId(), limit.getAsLong()))
                .map(rows -> new Quota(limit.getAsLong(), rows.iterator().next().getLong("live")));
    }

    public Future<LaunchPolicy> parsePolicy(UnitOfWork unit, Row row) {
        return parsePolicy(row, () -> unit.query(FIND_POLICY_KEYS, Tuple.tuple()));
    }

    /** Parses a policy that was read outside a transaction. */
    Future<LaunchPolicy> parsePolicy(Row row) {
        return parsePolicy(row, () -> reads.query(FIND_POLICY_KEYS).execute());
    }

    private Future<LaunchPolicy> parsePolicy(Row row, Supplier<Future<RowSet<Row>>> findKeys) {
        return loadKeys(row.getLong("policy_stamp"), findKeys)
                .map(keys -> LaunchPolicy.parse(keys, row.getString("policy_levels")));
    }

    /** A key is never deleted, and every change increments its version: the sum of the versions identifies the state. */
    private Future<PolicyKeys> loadKeys(long stamp, Supplier<Future<RowSet<Row>>> findKeys) {
        var latest = cachedKeys;
        if (latest.stamp == stamp) {
            return Future.succeededFuture(latest.keys);
        }
        return findKeys.get().map(rows -> {
            var keys = LaunchPolicy.parseKeys(rows.iterator().next().getString("keys"));
            cachedKeys = new CachedKeys(stamp, keys);
            return keys;
        });
    }

    static NotReplicatedException notReplicated() {
        return new NotReplicatedException("Project data");
    }
}
