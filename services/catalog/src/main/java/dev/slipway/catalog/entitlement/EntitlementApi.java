package dev.slipway.catalog.entitlement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.Levels;
import dev.slipway.catalog.policy.PolicyJson;
import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.Objects;
import java.util.UUID;

/** The operations on entitlements. */
public final class EntitlementApi {
    private final EntitlementStore store;
    private final Mutations mutations;

    public EntitlementApi(EntitlementStore store, Mutations mutations) {
        this.store = store;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return store.list(orgOf(request), request.projectId(), request.cursor(), request.limit())
                .map(page -> page.reply(Entitlement::json));
    }

    public Future<Reply> get(Request request) {
        return store.find(orgOf(request), request.projectId(), request.path("app_slug"))
                .map(found -> ETags.tagged(Reply.of(found.json())));
    }

    public Future<Reply> put(Request request) {
        var orgId = orgOf(request);
        var projectId = request.projectId();
        var appSlug = request.path("app_slug");
        return mutations
                .run(request, unit -> EntitlementStore.lock(unit, orgId, projectId, appSlug)
                        .compose(before -> PolicyStore.ofProject(unit, orgId, projectId, appSlug)
                                .map(levels -> {
                                    if (before == null) {
                                        throw Problem.of(
                                                        ErrorCode.APP_NOT_FOUND,
                                                        "There is no app " + appSlug + " in the catalog.")
                                                .asException();
                                    }
                                    return changed(request, unit, before, levels);
                                })))
                .map(ETags::tagged);
    }

    private static Reply changed(Request request, UnitOfWork unit, Entitlement before, Levels levels) {
        ETags.require(request, before.version());
        var body = request.body();
        var overrides = body.path("policy_overrides") instanceof ObjectNode given ? given : Json.object();
        var after = before.changed(
                body.path("enabled").asBoolean(true),
                overrides,
                request.principal().responsibleUserId(),
                unit.now());
        requireAllowed(levels, after);
        EntitlementStore.change(unit, after);
        var metadata = Json.object();
        metadata.set("before", before.version() == 0 ? null : before.json());
        metadata.set("after", after.json());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "apps.entitlement.write",
                        "app_entitlement",
                        after.id().toString(),
                        after.orgId(),
                        after.projectId(),
                        metadata));
        return Reply.of(after.json());
    }

    private static void requireAllowed(Levels levels, Entitlement after) {
        var above = levels.above(Level.ENTITLEMENT);
        if (!above.isOn(PolicyKeys.ENTITLEMENT_MUTATIONS)) {
            throw new Problem(
                            ErrorCode.FEATURE_DISABLED,
                            "Policy has changes of entitlements switched off.",
                            Json.object().put("key", PolicyKeys.ENTITLEMENT_MUTATIONS))
                    .asException();
        }
        var problems = new ArrayList<FieldProblem>();
        PolicyDocument.check(
                levels.writable(), Level.ENTITLEMENT, after.policyOverrides(), "/policy_overrides", null, problems);
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.POLICY_INVALID, problems).asException();
        }
        var widenings = above.widenings(PolicyDocument.stored(
                levels.keys(),
                Level.ENTITLEMENT,
                after.id().toString(),
                after.version(),
                after.policyOverrides(),
                Json.object()));
        if (!widenings.isEmpty()) {
            throw PolicyJson.widens(widenings).asException();
        }
        if (after.enabled() && !above.allows(PolicyKeys.ALLOWED_APPS, after.appSlug())) {
            throw Problem.of(
                            ErrorCode.APP_DENIED,
                            "A policy level does not let this project use " + after.appSlug() + ".")
                    .asException();
        }
    }

    private static UUID orgOf(Request request) {
        return Objects.requireNonNull(request.orgId(), "a project without organization");
    }
}
