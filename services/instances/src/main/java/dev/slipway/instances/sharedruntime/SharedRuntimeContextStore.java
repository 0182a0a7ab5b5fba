package dev.slipway.instances.sharedruntime;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.PolicyFreshness;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.ProjectEligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility.AttachableProject;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility.OperatorIdentity;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.service.NotReplicatedException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Loads everything that a decision on a shared runtime needs besides the runtime itself: eligibility, policy, manifest and config. */
public final class SharedRuntimeContextStore {
    private static final String LOCK = "SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE";
    /** A statement of its own, because it must see what was committed before the lock was acquired. */
    private static final String FIND_INPUTS = """
            SELECT (SELECT extract(epoch FROM now() - f.known_until)::float8 FROM catalog_freshness f) AS policy_age_s,
                (SELECT coalesce(sum(k.version), 0)::bigint FROM policy_keys k) AS policy_stamp,
                (SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('level', l.level, 'subject_id', l.subject_id,
                        'version', l.version, 'values', l.said, 'hard_denies', l.hard_denies)), '[]'))::text
                    FROM (VALUES ('global', 'platform'), ('plan', o.plan), ('organization', o.id::text)) AS place (level, subject_id)
                    JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id) AS policy_levels,
                a.id AS app_id, coalesce(a.status = 'disabled', false) AS app_disabled, v.id AS version_id, v.runtime_backend,
                v.status AS version_status, coalesce(v.revision, 0) AS version_revision,
                coalesce(v.artifact_sources, '{}') AS artifact_sources, u.id AS user_id,
                EXISTS (SELECT FROM revoked_digests d WHERE d.digest = ANY (v.artifact_digests)) AS revoked,
                (SELECT r.id FROM shared_runtimes r
                    WHERE r.org_id = o.id AND r.environment = $4 AND r.app_id = a.id AND r.status <> 'deleted') AS existing_id,
                EXISTS (SELECT FROM shared_runtimes r WHERE r.id = $6) AS id_taken
            FROM organizations o
            LEFT JOIN app_catalog a ON a.slug = $2
            LEFT JOIN app_versions v ON v.app_id = a.id AND v.version = $3
            LEFT JOIN users u ON u.id = $5
            WHERE o.id = $1
            """;

    private static final String FIND_PROJECT = """
            SELECT state = 'suspended' AS suspended FROM projects WHERE id = $1 AND org_id = $2 AND state <> 'deleted'
            """;

    private final LaunchContextStore contexts;
    private final PolicyFreshness freshness;
    private final AuthzModel authz;

    public SharedRuntimeContextStore(LaunchContextStore contexts, PolicyFreshness freshness, AuthzModel authz) {
        this.contexts = contexts;
        this.freshness = freshness;
        this.authz = authz;
    }

    /**
     * The inputs of a creation or of a change of the version.
     *
     * @param manifest null if there is no such version
     * @param operatorRuntimeId the runtime that the requested operator belongs to; null without one
     * @param spending the balance that limits a creation; it does not limit a change of the version
     */
    record RuntimeContext(
            Eligibility eligibility,
            @Nullable CompiledManifest manifest,
            ResolvedConfig config,
            EffectivePolicy policy,
            List<ProjectEligibility> projects,
            @Nullable UUID operatorRuntimeId,
            Spending spending) {
        /** Returns a copy with the balance of the organization; if it refuses a creation, the copy is not eligible. */
        RuntimeContext withSpending(Spending next) {
            return new RuntimeContext(
                    eligibility.withFallback(next.check()),
                    manifest,
                    config,
                    policy,
                    projects,
                    operatorRuntimeId,
                    next);
        }

        @Nullable
        ManifestSpec manifestSpec() {
            return manifest == null ? null : manifest.spec();
        }
    }

    /** Loads the context of a creation. */
    Future<RuntimeContext> load(UnitOfWork unit, RuntimeRequest request) {
        return load(unit, request, Purpose.LAUNCH, ConfigSource.REQUEST)
                .compose(context -> loadProjects(unit, request)
                        .map(projects -> new RuntimeContext(
                                context.eligibility,
                                context.manifest,
                                context.config,
                                context.policy,
                                projects,
                                context.operatorRuntimeId,
                                context.spending)))
                .compose(context -> contexts.loadSpending(unit, request.orgId(), null, expectedUsage(context))
                        .map(context::withSpending));
    }

    private static ExpectedUsage expectedUsage(RuntimeContext context) {
        return ExpectedUsage.ofRunning(
                context.manifest == null ? Set.of() : context.manifest.spec().usageUnits(),
                context.eligibility.policy().placement().gpuCount());
    }

    /** Loads the balance, and the budget of a project, that limit what the project uses of a shared runtime; its quantity is not known. */
    Future<Spending> loadSpending(UnitOfWork unit, UUID orgId, @Nullable UUID projectId, Set<String> usageUnits) {
        return contexts.loadSpending(unit, orgId, projectId, ExpectedUsage.ofUnits(usageUnits));
    }

    /** Loads the context of a change to another version. */
    Future<RuntimeContext> loadForChange(
            UnitOfWork unit,
            SharedRuntime runtime,
            String version,
            String config,
            ConfigSource source,
            Principal principal) {
        var request = new RuntimeRequest(
                runtime.orgId(),
                runtime.environment(),
                runtime.app().slug(),
                version,
                runtime.displayName(),
                null,
                runtime.placement(),
                config,
                runtime.contribution(),
                runtime.submission(),
                List.of(),
                principal.responsibleUserId(),
                principal.id(),
                principal.type().text());
        return load(unit, request, source == ConfigSource.PREVIOUS ? Purpose.ROLLBACK : Purpose.UPGRADE, source);
    }

    private Future<RuntimeContext> load(UnitOfWork unit, RuntimeRequest request, Purpose purpose, ConfigSource source) {
        var operator = request.operatorId() == null ? null : authz.principal(request.operatorId());
        var runtimeId = operator == null ? null : operator.sharedRuntimeId();
        var parameters = Tuple.of(
                request.orgId(),
                request.appSlug(),
                request.appVersion(),
                request.environment(),
                request.requestedByUserId(),
                runtimeId);
        return unit.query(LOCK, Tuple.of(request.orgId()))
                .compose(locked -> unit.query(FIND_INPUTS, parameters))
                .compose(rows -> {
                    if (rows.size() == 0 || rows.iterator().next().getUUID("user_id") == null) {
                        // The caller is authorized, so both exist; they have not arrived here.
                        return Future.failedFuture(new NotReplicatedException("Organization data"));
                    }
                    var row = rows.iterator().next();
                    freshness.requireFresh(row.getDouble("policy_age_s"));
                    return contexts.parsePolicy(unit, row).compose(policy -> contexts.loadConfigured(
                                    unit,
                                    row.getUUID("version_id"),
                                    row.getLong("version_revision"),
                                    request.config(),
                                    source)
                            .map(configured -> new RuntimeContext(
                                    toInputs(row, request, operator, policy.effective())
                                            .evaluate(purpose, request),
                                    configured.manifest(),
                                    configured.config(),
                                    policy.effective(),
                                    List.of(),
                                    runtimeId,
                                    Spending.UNLIMITED)));
                });
    }

    /** Only active principals are replicated: an inactive operator is null, as one that does not exist. */
    private static SharedRuntimeInputs toInputs(
            Row row, RuntimeRequest request, @Nullable Principal operator, EffectivePolicy policy) {
        var versionId = row.getUUID("version_id");
        var isOperator = operator != null && operator.type() == Principal.ActorType.SHARED_RUNTIME_OPERATOR;
        return new SharedRuntimeInputs(
                row.getUUID("app_id"),
                row.getBoolean("app_disabled"),
                versionId == null ? null : new Version(versionId, row.getString("runtime_backend")),
                versionId == null ? null : TextEnum.parse(VersionStatus.class, row.getString("version_status")),
                row.getBoolean("revoked"),
                List.of(row.getArrayOfStrings("artifact_sources")),
                row.getUUID("existing_id"),
                request.operatorId() == null
                        ? null
                        : new OperatorIdentity(
                                isOperator, operator == null ? null : operator.orgId(), row.getBoolean("id_taken")),
                policy);
    }

    private Future<List<ProjectEligibility>> loadProjects(UnitOfWork unit, RuntimeRequest request) {
        Future<List<ProjectEligibility>> chain = Future.succeededFuture(new ArrayList<>());
        // In the order of their ids, because each project is locked.
        for (var projectId : request.attachedProjectIds().stream().sorted().toList()) {
            chain = chain.compose(found -> loadProject(
                            unit,
                            request.orgId(),
                            projectId,
                            request.appSlug(),
                            request.appVersion(),
                            request.requestedByUserId(),
                            request.requestedByPrincipalId())
                    .map(project -> {
                        found.add(new ProjectEligibility(projectId, SharedRuntimeEligibility.checkProject(project)));
                        return found;
                    }));
        }
        return chain;
    }

    /** Locks and loads a project that is to be attached to a runtime that runs this version. */
    Future<AttachableProject> loadProject(
            UnitOfWork unit,
            UUID orgId,
            UUID projectId,
            String appSlug,
            String appVersion,
            UUID userId,
            UUID principalId) {
        if (!orgId.equals(authz.orgOf(projectId))) {
            return Future.succeededFuture(AttachableProject.ofOtherOrganization(projectId));
        }
        var launch = new Launch(
                projectId,
                appSlug,
                appVersion,
                "",
                SharedRuntime.OPERATING_MODE,
                SharedRuntime.CONTROL_PLANE_SCOPE,
                null,
                "{}",
                userId,
                principalId,
                Placement.UNSPECIFIED,
                Map.of(),
                null);
        return contexts.loadForChange(unit, launch, ConfigSource.PREVIOUS)
                .compose(context -> loadSpending(unit, orgId, projectId, Set.of())
                        .compose(spending -> unit.query(FIND_PROJECT, Tuple.of(projectId, orgId))
                                .map(rows -> rows.size() == 0
                                        ? AttachableProject.ofOtherOrganization(projectId)
                                        : new AttachableProject(
                                                projectId,
                                                true,
                                                rows.iterator().next().getBoolean("suspended"),
                                                context.eligibility().refusal(),
                                                spending))));
    }
}
