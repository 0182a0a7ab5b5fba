package dev.slipway.instances.launch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.LaunchContext.Quota;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.spending.SpendingStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Operation;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.NotReplicatedException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Locks the project of a launch and loads everything that the decision on it needs: eligibility, policy, quota, manifest and plan.
 *
 * <p>The inputs come from nine tables and rarely change. They are cached with two version numbers that the database increments with every
 * change of them, and read again when one of the numbers differs. Manifests are cached too: a published one does not change.
 */
public final class LaunchContextStore {
    private static final int MAX_CACHED_INPUTS = 2_000;
    private static final int MAX_CACHED_MANIFESTS = 256;

    private static final String LOCK = """
            SELECT p.facts, k.number, extract(epoch FROM now() - f.known_until)::float8 AS policy_age_s
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
    private static final String FIND_VERSION = """
            SELECT v.id, v.runtime_backend, v.revision, a.slug
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id WHERE v.app_id = $1 AND v.version = $2
            """;
    private static final String FIND_MANIFEST = """
            SELECT manifest::text AS manifest, registry_versions::text AS registry_versions, revision FROM app_versions WHERE id = $1
            """;
    private static final String FIND_ATTACHMENT = """
            SELECT id FROM shared_runtime_attachments WHERE shared_runtime_id = $1 AND project_id = $2 AND status = 'attached'
            """;

    private final Vertx vertx;
    private final SqlClient reads;
    private final Duration maxPolicyAge;
    private final SpendingStore spending;
    private final PolicyMetrics metrics;
    private final Cache<CacheKey, LaunchInputs> inputs =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_INPUTS).build();
    private final Cache<UUID, CompiledManifest> manifests =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_MANIFESTS).build();
    private volatile CachedKeys cachedKeys = new CachedKeys(0, LaunchPolicy.parseKeys("{}"));

    public LaunchContextStore(
            Vertx vertx, SqlClient reads, Duration maxPolicyAge, SpendingStore spending, PolicyMetrics metrics) {
        this.vertx = vertx;
        this.reads = reads;
        this.maxPolicyAge = maxPolicyAge;
        this.spending = spending;
        this.metrics = metrics;
    }

    /** The rule by which the launch parameters of a change are resolved. */
    public enum ConfigSource {
        /** From the request: with defaults, and validated. */
        REQUEST,
        /** From the instance: as {@link #REQUEST}, without the parameters that the new version locks. */
        INSTANCE,
        /** From the previous version, unchanged. */
        PREVIOUS
    }

    private record CacheKey(
            UUID projectId,
            String appSlug,
            String version,
            @Nullable UUID operatorId,
            UUID userId) {}

    private record CachedKeys(long stamp, PolicyKeys keys) {}

    /** Loads the context of a launch; {@code planId} consumes that plan. */
    public Future<LaunchContext> load(UnitOfWork unit, Launch launch, @Nullable UUID planId) {
        return loadInputs(unit, launch)
                .compose(found -> countInstances(unit, launch, found).compose(quota -> loadConfigured(
                                unit, launch, found, ConfigSource.REQUEST)
                        .compose(configured -> PlanStore.APP_INSTANCES
                                .consume(unit, launch.projectId(), planId)
                                .map(plan -> toContext(Purpose.LAUNCH, launch, found, quota, configured, plan)))))
                .compose(context -> isAttached(unit, launch).map(context::withAttached))
                .compose(context -> spending.load(
                                unit, context.eligibility().orgId(), launch.projectId(), context.expectedUsage())
                        .map(context::withSpending));
    }

    /** Loads the context of a change to another version: it needs no quota. */
    public Future<LaunchContext> loadForChange(UnitOfWork unit, Launch launch, ConfigSource source) {
        var purpose = source == ConfigSource.PREVIOUS ? Purpose.ROLLBACK : Purpose.UPGRADE;
        return loadInputs(unit, launch).compose(found -> loadConfigured(unit, launch, found, source)
                .map(configured -> toContext(purpose, launch, found, null, configured, null)));
    }

    private static Future<Boolean> isAttached(UnitOfWork unit, Launch launch) {
        return launch.sharedRuntimeId() == null
                ? Future.succeededFuture(false)
                : unit.query(FIND_ATTACHMENT, Tuple.of(launch.sharedRuntimeId(), launch.projectId()))
                        .map(rows -> rows.size() > 0);
    }

    private record ConfiguredManifest(@Nullable CompiledManifest manifest, ResolvedConfig config) {}

    private LaunchContext toContext(
            Purpose purpose,
            Launch launch,
            LaunchInputs found,
            @Nullable Quota quota,
            ConfiguredManifest configured,
            @Nullable LaunchPlan plan) {
        var started = System.nanoTime();
        var evaluation = found.evaluate(purpose, launch, quota == null ? 0 : quota.used());
        var byPolicy = evaluation.policyRefusal();
        metrics.recordDecision(byPolicy == null ? null : byPolicy.code(), System.nanoTime() - started);
        var limited = byPolicy == null || byPolicy.code().equals("instance_limit_reached");
        return new LaunchContext(
                evaluation.eligibility(),
                configured.manifest,
                configured.config,
                found.policy(),
                limited ? quota : null,
                plan);
    }

    /** Loads the manifest of the version that an instance or a shared runtime runs. */
    public Future<CompiledManifest> loadManifest(UnitOfWork unit, AppVersionRef app) {
        return loadManifest(unit, app.versionId(), 0);
    }

    /** Loads the version that an upgrade or a rollback leads to, whatever its state is by now. */
    public Future<VersionChange> loadVersionChange(
            UnitOfWork unit, AppVersionRef current, String currentConfig, Operation operation) {
        var version = Objects.requireNonNull(operation.toVersion());
        var input = Json.parseStoredObject(Objects.requireNonNull(operation.input()));
        var appId = current.appId();
        return unit.query(FIND_VERSION, Tuple.of(appId, version)).compose(rows -> {
            var row = rows.iterator().next();
            var target = new AppVersionRef(
                    appId, row.getUUID("id"), row.getString("slug"), version, row.getString("runtime_backend"));
            return loadManifest(unit, target.versionId(), row.getLong("revision"))
                    .map(manifest -> VersionChange.of(
                            current,
                            currentConfig,
                            operation,
                            target,
                            Json.text(input.path("config")),
                            manifest.spec()));
        });
    }

    public Future<CompiledManifest> loadManifest(UnitOfWork unit, UUID versionId, long revision) {
        var cached = manifests.getIfPresent(versionId);
        if (cached != null && cached.revision() >= revision) {
            return Future.succeededFuture(cached);
        }
        return unit.query(FIND_MANIFEST, Tuple.of(versionId)).compose(rows -> compile(versionId, rows));
    }

    /** Finds the manifest of the version that a shared runtime runs, outside a transaction. */
    public Future<CompiledManifest> findManifest(AppVersionRef app) {
        var cached = manifests.getIfPresent(app.versionId());
        return cached != null
                ? Future.succeededFuture(cached)
                : reads.preparedQuery(FIND_MANIFEST)
                        .execute(Tuple.of(app.versionId()))
                        .compose(rows -> compile(app.versionId(), rows));
    }

    private Future<CompiledManifest> compile(UUID versionId, RowSet<Row> rows) {
        var row = rows.iterator().next();
        return vertx.executeBlocking(() -> CompiledManifest.compile(
                        row.getString("manifest"), row.getString("registry_versions"), row.getLong("revision")))
                .onSuccess(compiled -> manifests.put(versionId, compiled));
    }

    private Future<ConfiguredManifest> loadConfigured(
            UnitOfWork unit, Launch launch, LaunchInputs found, ConfigSource source) {
        var version = found.version();
        if (version == null) {
            return Future.succeededFuture(new ConfiguredManifest(null, new ResolvedConfig(launch.config(), List.of())));
        }
        return loadManifest(unit, version.id(), found.versionRevision())
                .compose(manifest -> resolve(manifest, launch.config(), source)
                        .map(config -> new ConfiguredManifest(manifest, config)));
    }

    public Future<ResolvedConfig> resolve(CompiledManifest manifest, String config, ConfigSource source) {
        if (source == ConfigSource.PREVIOUS) {
            return Future.succeededFuture(new ResolvedConfig(config, List.of()));
        }
        var requested = source == ConfigSource.INSTANCE ? manifest.carryOver(config) : config;
        // The patterns and the text are untrusted: matching ends, but may take a second.
        return manifest.hasPatterns()
                ? vertx.executeBlocking(() -> manifest.resolve(requested))
                : Future.succeededFuture(manifest.resolve(requested));
    }

    private Future<LaunchInputs> loadInputs(UnitOfWork unit, Launch launch) {
        var key = new CacheKey(
                launch.projectId(),
                launch.appSlug(),
                launch.appVersion(),
                launch.operatorServiceAccountId(),
                launch.requestedByUserId());
        return unit.query(LOCK, Tuple.of(launch.projectId())).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(notReplicated());
            }
            var row = rows.iterator().next();
            requireFresh(row);
            var cached = inputs.getIfPresent(key);
            return cached != null
                            && cached.projectVersion() == row.getLong("facts")
                            && cached.globalVersion() == row.getLong("number")
                    ? Future.succeededFuture(cached)
                    : findInputs(unit, key).onSuccess(found -> inputs.put(key, found));
        });
    }

    private Future<LaunchInputs> findInputs(UnitOfWork unit, CacheKey key) {
        var parameters = Tuple.of(key.projectId, key.appSlug, key.version, key.operatorId, key.userId);
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
                versionId == null ? null : VersionStatus.of(row.getString("version_status")),
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

    public void requireFresh(Row row) {
        var ageSeconds = row.getDouble("policy_age_s");
        metrics.recordAge(ageSeconds);
        if (ageSeconds > maxPolicyAge.toSeconds()) {
            metrics.recordStale();
            throw Problem.of(
                            ErrorCode.POLICY_STALE,
                            "Policy data is out of date, so the change was not made. Retry shortly.")
                    .asException();
        }
    }

    static NotReplicatedException notReplicated() {
        return new NotReplicatedException("Project data");
    }
}
