package dev.slipway.catalog.policy.entitlement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.EffectivePolicyStore;
import dev.slipway.catalog.policy.PolicyJson;
import dev.slipway.catalog.policy.PolicyLevels;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.AuditMetadata;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.DisabledFeature;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.EntitlementResponse;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.PutRequest;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.Objects;
import java.util.UUID;

/** API operations on entitlements. */
public final class EntitlementApi {
    private final EntitlementStore store;
    private final Mutations mutations;

    public EntitlementApi(EntitlementStore store, Mutations mutations) {
        this.store = store;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return store.list(requireOrgId(request), request.projectId(), request.cursor(), request.limit())
                .map(page -> page.toReply(EntitlementApi::toJson));
    }

    public Future<Reply> get(Request request) {
        return store.find(requireOrgId(request), request.projectId(), request.path("app_slug"))
                .map(found -> ETags.withETag(Reply.of(toJson(found))));
    }

    public Future<Reply> put(Request request) {
        var orgId = requireOrgId(request);
        var projectId = request.projectId();
        var appSlug = request.path("app_slug");
        return mutations
                .run(request, unit -> EntitlementStore.lock(unit, orgId, projectId, appSlug)
                        .compose(before -> EffectivePolicyStore.findForProject(unit, orgId, projectId, appSlug)
                                .map(levels -> {
                                    if (before == null) {
                                        throw Problem.of(
                                                        ErrorCode.APP_NOT_FOUND,
                                                        "App " + appSlug
                                                                + " does not exist in the catalog, or has no published version.")
                                                .asException();
                                    }
                                    return update(request, unit, before, levels);
                                })))
                .map(ETags::withETag);
    }

    private static Reply update(Request request, UnitOfWork unit, Entitlement before, PolicyLevels levels) {
        ETags.requireMatch(request, before.version());
        var body = Json.toRecord(request.body(), PutRequest.class);
        var after = before.withChanges(
                Objects.requireNonNullElse(body.enabled(), true),
                Objects.requireNonNullElseGet(body.policyOverrides(), Json::object),
                request.principal().responsibleUserId(),
                unit.now());
        requireAllowed(levels, after);
        EntitlementStore.update(unit, after);
        var response = EntitlementResponse.of(after);
        var metadata = new AuditMetadata(before.version() == 0 ? null : EntitlementResponse.of(before), response);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        "apps.entitlement.write",
                        "app_entitlement",
                        after.id().toString(),
                        after.orgId(),
                        after.projectId(),
                        Json.toObject(metadata)));
        return Reply.ofRecord(response);
    }

    private static void requireAllowed(PolicyLevels levels, Entitlement after) {
        var above = levels.effectiveAbove(PolicyLevel.ENTITLEMENT);
        if (!above.isOn(PolicyKeys.ENTITLEMENT_MUTATIONS)) {
            throw new Problem(
                            ErrorCode.FEATURE_DISABLED,
                            "Changing entitlements is disabled by "
                                    + above.describeSource(PolicyKeys.ENTITLEMENT_MUTATIONS) + ".",
                            Json.toObject(new DisabledFeature(PolicyKeys.ENTITLEMENT_MUTATIONS)))
                    .asException();
        }
        var problems = new ArrayList<FieldProblem>();
        PolicyDocument.validate(
                levels.writable(),
                PolicyLevel.ENTITLEMENT,
                after.policyOverrides(),
                "/policy_overrides",
                null,
                problems);
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.POLICY_INVALID, problems).asException();
        }
        var widenings = above.widenings(PolicyDocument.fromStored(
                levels.keys(),
                PolicyLevel.ENTITLEMENT,
                after.id().toString(),
                after.version(),
                after.policyOverrides(),
                Json.object()));
        if (!widenings.isEmpty()) {
            throw PolicyJson.wideningProblem(widenings).asException();
        }
        if (after.enabled() && !above.allows(PolicyKeys.ALLOWED_APPS, after.appSlug())) {
            throw Problem.of(
                            ErrorCode.APP_DENIED,
                            "This project may not use app " + after.appSlug() + ", set by "
                                    + above.describeSource(PolicyKeys.ALLOWED_APPS) + ".")
                    .asException();
        }
    }

    private static ObjectNode toJson(Entitlement entitlement) {
        return Json.toObject(EntitlementResponse.of(entitlement));
    }

    private static UUID requireOrgId(Request request) {
        return Objects.requireNonNull(request.orgId(), "project without organization");
    }
}
