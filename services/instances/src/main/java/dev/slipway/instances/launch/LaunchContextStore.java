package dev.slipway.instances.launch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
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
import io.vertx.core.Vertx;
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
    private static final int MAX_CACHED_INPUTS = 2_000;
    private static final int MAX_CACHED_MANIFESTS = 256;

    private final Vertx vertx;
    private final SqlClient reads;
    private final Duration maxPolicyAge;
    private final Duration maxBillingAge;
    private final String defaultCurrency;
    private final PolicyMetrics metrics;
    private final Cache<CacheKey, LaunchInputs> inputs =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_INPUTS).build();
    private final Cache<UUID, CompiledManifest> manifests =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_MANIFESTS).build();
    private volatile CachedKeys cachedKeys = new CachedKeys(0, LaunchPolicy.parseKeys("{}"));

    /** {@code defaultCurrency} is that of organizations for which metering has published none. */
    public LaunchContextStore(
            Vertx vertx,
            SqlClient reads,
            Duration maxPolicyAge,
            Duration maxBillingAge,
            String defaultCurrency,
            PolicyMetrics metrics) {
        this.vertx = vertx;
        this.reads = reads;
        this.maxPolicyAge = maxPolicyAge;
        this.maxBillingAge = maxBillingAge;
        this.defaultCurrency = defaultCurrency;
        this.metrics = metrics;
    }

    private record CacheKey(
            UUID projectId,
            String appSlug,
            String version,
            @Nullable UUID operatorId,
            UUID userId) {
        static CacheKey of(Launch launch) {
            return new CacheKey(
                    launch.projectId(),
                    launch.appSlug(),
                    launch.appVersion(),
                    launch.operatorServiceAccountId(),
                    launch.requestedByUserId());
        }
    }

    private record CachedKeys(long stamp, PolicyKeys keys) {}

    /**
     * The inputs that were found under the lock of a project.
     *
     * @param billed false if neither a price nor a limit of spending can apply
     */
    private record Locked(LaunchInputs inputs, boolean billed) {}

    /**
     * Loads the context of a launch; {@code planId} consumes that plan. The instances are counted in the same round trip as the project is
     * locked, by the cached inputs, and again if these turn out to be outdated.
     */
    public Future<LaunchContext> load(UnitOfWork unit, Launch launch, @Nullable UUID planId) {
        var expected = inputs.getIfPresent(CacheKey.of(launch));
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
        return unit.query(table.sql(LaunchContextSql.CONSUME_PLAN), Tuple.of(planId, ownerId))
                .map(rows -> {
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
        return unit.query(LaunchContextSql.FIND_SPENDING, parameters)
                .map(rows -> rows.size() == 0
                        ? Spending.unlimited(defaultCurrency, usage)
                        : SpendingRow.parse(rows.iterator().next().getString("spending"))
                                .toSpending(usage, maxBillingAge, now));
    }

    private static Future<Boolean> isAttached(UnitOfWork unit, Launch launch) {
        return launch.sharedRuntimeId() == null
                ? Future.succeededFuture(false)
                : unit.query(LaunchContextSql.FIND_ATTACHMENT, Tuple.of(launch.sharedRuntimeId(), launch.projectId()))
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
        var evaluation = found.evaluate(purpose, launch, quota == null ? 0 : quota.used());
        var byPolicy = evaluation.policyRefusal();
        metrics.recordDecision(byPolicy == null ? null : byPolicy.code(), System.nanoTime() - started);
        var limited = byPolicy == null || byPolicy.code().equals("instance_limit_reached");
        return new LaunchContext(
                evaluation.eligibility(),
                configured.manifest(),
                configured.config(),
                found.policy(),
                limited ? quota : null,
                plan);
    }

    /** Loads the manifest of the version that an instance or a shared runtime runs. */
    public Future<CompiledManifest> loadManifest(UnitOfWork unit, AppVersionRef app) {
        return loadManifest(unit, app.versionId(), 0);
    }

    public Future<CompiledManifest> loadManifest(UnitOfWork unit, UUID versionId, long revision) {
        var cached = manifests.getIfPresent(versionId);
        if (cached != null && cached.revision() >= revision) {
            return Future.succeededFuture(cached);
        }
        return unit.query(LaunchContextSql.FIND_MANIFEST, Tuple.of(versionId))
                .compose(rows -> compile(versionId, rows));
    }

    /** Finds the manifest of the version that a shared runtime runs, outside a transaction. */
    public Future<CompiledManifest> findManifest(AppVersionRef app) {
        var cached = manifests.getIfPresent(app.versionId());
        return cached != null
                ? Future.succeededFuture(cached)
                : reads.preparedQuery(LaunchContextSql.FIND_MANIFEST)
                        .execute(Tuple.of(app.versionId()))
                        .compose(rows -> compile(app.versionId(), rows));
    }

    private Future<CompiledManifest> compile(UUID versionId, RowSet<Row> rows) {
        var row = rows.iterator().next();
        return vertx.executeBlocking(() -> CompiledManifest.compile(
                        row.getString("manifest"), row.getString("registry_versions"), row.getLong("revision")))
                .onSuccess(compiled -> manifests.put(versionId, compiled));
    }

    /** Loads the manifest of a version, and resolves launch parameters by it; without a version they stay as they are. */
    public Future<ConfiguredManifest> loadConfigured(
            UnitOfWork unit, @Nullable UUID versionId, long revision, String config, ConfigSource source) {
        if (versionId == null) {
            return Future.succeededFuture(new ConfiguredManifest(null, new ResolvedConfig(config, List.of())));
        }
        return loadManifest(unit, versionId, revision).compose(manifest -> resolve(manifest, config, source)
                .map(resolved -> new ConfiguredManifest(manifest, resolved)));
    }

    private Future<ResolvedConfig> resolve(CompiledManifest manifest, String config, ConfigSource source) {
        if (source == ConfigSource.PREVIOUS) {
            return Future.succeededFuture(new ResolvedConfig(config, List.of()));
        }
        var requested = source == ConfigSource.INSTANCE ? manifest.carryOver(config) : config;
        // The patterns and the text are untrusted: matching ends, but may take a second.
        return manifest.hasPatterns()
                ? vertx.executeBlocking(() -> manifest.resolve(requested))
                : Future.succeededFuture(manifest.resolve(requested));
    }

    private Future<Locked> lock(UnitOfWork unit, Launch launch) {
        var key = CacheKey.of(launch);
        return unit.query(LaunchContextSql.LOCK, Tuple.of(launch.projectId())).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(notReplicated());
            }
            var row = rows.iterator().next();
            requireFresh(row);
            var cached = inputs.getIfPresent(key);
            var current = cached != null
                            && cached.projectVersion() == row.getLong("facts")
                            && cached.globalVersion() == row.getLong("number")
                    ? Future.succeededFuture(cached)
                    : findInputs(unit, key).onSuccess(found -> inputs.put(key, found));
            return current.map(found -> new Locked(found, row.getBoolean("billed")));
        });
    }

    private Future<LaunchInputs> findInputs(UnitOfWork unit, CacheKey key) {
        var parameters = Tuple.of(key.projectId, key.appSlug, key.version, key.operatorId, key.userId);
        return unit.query(LaunchContextSql.FIND_INPUTS, parameters).compose(rows -> {
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
        return unit.query(
                        LaunchContextSql.COUNT_INSTANCES,
                        Tuple.of(launch.projectId(), found.appId(), limit.getAsLong()))
                .map(rows -> new Quota(limit.getAsLong(), rows.iterator().next().getLong("live")));
    }

    public Future<LaunchPolicy> parsePolicy(UnitOfWork unit, Row row) {
        return parsePolicy(row, () -> unit.query(LaunchContextSql.FIND_POLICY_KEYS, Tuple.tuple()));
    }

    /** Parses a policy that was read outside a transaction. */
    Future<LaunchPolicy> parsePolicy(Row row) {
        return parsePolicy(
                row, () -> reads.query(LaunchContextSql.FIND_POLICY_KEYS).execute());
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
