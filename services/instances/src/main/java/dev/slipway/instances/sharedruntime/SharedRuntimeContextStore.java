package dev.slipway.instances.sharedruntime;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.domain.ConfigSource;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.ProjectEligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule;
import dev.slipway.policy.LaunchEligibilityRule.Candidate;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.LaunchRequest;
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

    private static final String FIND_PROJECT_STATE = "SELECT state FROM projects WHERE id = $1 AND org_id = $2";

    private final LaunchContextStore contexts;
    private final AuthzModel authz;

    public SharedRuntimeContextStore(LaunchContextStore contexts, AuthzModel authz) {
        this.contexts = contexts;
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
                    contexts.requireFresh(row);
                    return contexts.parsePolicy(unit, row).compose(policy -> contexts.loadConfigured(
                                    unit,
                                    row.getUUID("version_id"),
                                    row.getLong("version_revision"),
                                    request.config(),
                                    source)
                            .map(configured -> new RuntimeContext(
                                    eligibility(row, request, purpose, policy.effective(), operator),
                                    configured.manifest(),
                                    configured.config(),
                                    policy.effective(),
                                    List.of(),
                                    runtimeId,
                                    Spending.UNLIMITED)));
                });
    }

    private static Eligibility eligibility(
            Row row, RuntimeRequest request, Purpose purpose, EffectivePolicy policy, @Nullable Principal operator) {
        var versionId = row.getUUID("version_id");
        var placement = request.placement();
        var launch = LaunchRules.withDefaultPlacement(
                policy,
                new LaunchRequest(
                        request.appSlug(),
                        SharedRuntime.OPERATING_MODE,
                        SharedRuntime.CONTROL_PLANE_SCOPE,
                        placement.region(),
                        placement.sku(),
                        placement.gpuCount(),
                        List.of(row.getArrayOfStrings("artifact_sources"))));
        var candidate = new Candidate(
                request.appSlug(),
                request.appVersion(),
                row.getUUID("app_id") != null,
                row.getBoolean("app_disabled"),
                true,
                versionId == null ? null : TextEnum.parse(VersionStatus.class, row.getString("version_status")),
                row.getBoolean("revoked"));
        var refusal = LaunchEligibilityRule.evaluate(purpose, candidate, policy, launch, 0);
        return new Eligibility(
                row.getUUID("app_id"),
                versionId == null ? null : new LaunchEligibility.Version(versionId, row.getString("runtime_backend")),
                new LaunchEligibility.Policy(
                        policy.version(), new Placement(launch.region(), launch.sku(), launch.gpuCount())),
                row.getUUID("existing_id"),
                checkOperator(request, operator, row.getBoolean("id_taken")),
                refusal == null ? null : Refusal.of(refusal.code(), refusal.message()));
    }

    /** Only active principals are replicated, so an inactive operator is not found. */
    private static @Nullable Refusal checkOperator(
            RuntimeRequest request, @Nullable Principal operator, boolean idTaken) {
        if (request.operatorId() == null) {
            return null;
        }
        var valid = operator != null
                && operator.type() == Principal.ActorType.SHARED_RUNTIME_OPERATOR
                && request.orgId().equals(operator.orgId())
                && !idTaken;
        return valid
                ? null
                : Refusal.of(
                        "operator_identity_invalid",
                        "operator_identity_ref is not an active shared-runtime operator of this organization, or its runtime"
                                + " exists already. Leave it out to have an operator created.");
    }

    private Future<List<ProjectEligibility>> loadProjects(UnitOfWork unit, RuntimeRequest request) {
        Future<List<ProjectEligibility>> chain = Future.succeededFuture(new ArrayList<>());
        // In the order of their ids, because each project is locked.
        for (var projectId : request.attachedProjectIds().stream().sorted().toList()) {
            chain = chain.compose(found -> checkProject(
                            unit,
                            request.orgId(),
                            projectId,
                            request.appSlug(),
                            request.appVersion(),
                            request.requestedByUserId(),
                            request.requestedByPrincipalId())
                    .map(refusal -> {
                        found.add(new ProjectEligibility(projectId, refusal));
                        return found;
                    }));
        }
        return chain;
    }

    /** Returns why a project cannot be attached to a runtime that runs this version; null if it can. */
    Future<@Nullable Refusal> checkProject(
            UnitOfWork unit,
            UUID orgId,
            UUID projectId,
            String appSlug,
            String appVersion,
            UUID userId,
            UUID principalId) {
        if (!orgId.equals(authz.orgOf(projectId))) {
            return Future.succeededFuture(notInOrganization(projectId));
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
                .compose(context -> unit.query(FIND_PROJECT_STATE, Tuple.of(projectId, orgId))
                        .map(rows -> {
                            var refusal = context.eligibility().refusal();
                            var state = rows.size() == 0
                                    ? ResourceState.DELETED
                                    : TextEnum.parse(
                                            ResourceState.class,
                                            rows.iterator().next().getString("state"));
                            if (state == ResourceState.DELETED) {
                                return notInOrganization(projectId);
                            }
                            if (state == ResourceState.SUSPENDED) {
                                return suspended(projectId);
                            }
                            return refusal == null ? null : ofProject(projectId, refusal);
                        }))
                .compose(refusal -> refusal != null
                        ? Future.succeededFuture(refusal)
                        : loadSpending(unit, orgId, projectId, Set.of()).map(limits -> {
                            var unaffordable = limits.check();
                            return unaffordable == null ? null : ofProject(projectId, unaffordable);
                        }));
    }

    private static Refusal ofProject(UUID projectId, Refusal refusal) {
        return new Refusal(
                refusal.code(),
                "Project " + projectId + ": " + refusal.message(),
                Map.of("project_id", projectId.toString()),
                List.of());
    }

    private static Refusal suspended(UUID projectId) {
        return Refusal.of(
                "project_suspended", "Project " + projectId + " is suspended. Resume it before you attach it.");
    }

    private static Refusal notInOrganization(UUID projectId) {
        return Refusal.of("not_found", "This organization has no project " + projectId + ".");
    }
}
