package dev.slipway.catalog.policy;

import dev.slipway.catalog.policy.PolicyJson.ImpactItem;
import dev.slipway.catalog.policy.PolicyJson.PreviewRequest;
import dev.slipway.catalog.policy.PolicyJson.WideningResponse;
import dev.slipway.catalog.policy.PreviewStore.AffectedEntitlement;
import dev.slipway.catalog.policy.PreviewStore.AffectedInstance;
import dev.slipway.catalog.policy.PreviewStore.LevelKey;
import dev.slipway.catalog.policy.PreviewStore.ProjectApp;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** API operations that preview the effect of a policy change without storing it. */
public final class PreviewApi {
    private final EffectivePolicyStore policies;
    private final PolicyLevelStore levels;
    private final PreviewStore store;

    public PreviewApi(EffectivePolicyStore policies, PolicyLevelStore levels, PreviewStore store) {
        this.policies = policies;
        this.levels = levels;
        this.store = store;
    }

    private record PreviewResponse(
            List<ImpactItem> items, @Nullable String nextCursor, List<WideningResponse> widenings) {}

    public Future<Reply> previewPlatform(Request request) {
        var body = Json.toRecord(request.body(), PreviewRequest.class);
        var plan = body.plan();
        return preview(request, body, plan == null ? PolicySubject.global() : PolicySubject.plan(plan));
    }

    public Future<Reply> previewOrganization(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), PreviewRequest.class);
        var departmentId = body.departmentId();
        var projectId = body.projectId();
        if (departmentId != null && projectId != null) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/department_id",
                            "cannot be combined with project_id: name one of them")
                    .asException();
        }
        if (projectId != null) {
            return preview(request, body, PolicySubject.project(orgId, projectId));
        }
        return preview(
                request,
                body,
                departmentId == null
                        ? PolicySubject.organization(orgId)
                        : PolicySubject.department(orgId, departmentId));
    }

    private Future<Reply> preview(Request request, PreviewRequest body, PolicySubject subject) {
        return levels.requireExists(subject)
                .compose(ok -> policies.findForSubject(subject))
                .compose(current -> {
                    var proposed = PolicyApi.parseDocument(
                            subject,
                            current,
                            1,
                            body.level().valuesOrEmpty(),
                            body.level().hardDeniesOrEmpty());
                    return store.listEntitlements(subject, request.cursor(), request.limit())
                            .compose(page -> evaluatePage(current, proposed, page));
                });
    }

    private Future<Reply> evaluatePage(PolicyLevels current, PolicyDocument proposed, Page<AffectedEntitlement> page) {
        var documents = store.loadDocuments(current.keys(), page.items());
        var instances = store.listInstances(page.items());
        return Future.all(documents, instances).map(ok -> {
            var items = affectedItems(current.keys(), proposed, page, documents.result(), instances.result());
            var widenings = current.effectiveAbove(proposed.level()).widenings(proposed).stream()
                    .map(WideningResponse::of)
                    .toList();
            var next = page.next();
            return Reply.ofRecord(new PreviewResponse(items, next == null ? null : next.encode(), widenings));
        });
    }

    private static List<ImpactItem> affectedItems(
            PolicyKeys keys,
            PolicyDocument proposed,
            Page<AffectedEntitlement> page,
            Map<LevelKey, PolicyDocument> documents,
            Map<ProjectApp, List<AffectedInstance>> instances) {
        var items = new ArrayList<ImpactItem>();
        for (var entitlement : page.items()) {
            var applicable = entitlement.levelKeys().stream()
                    .map(documents::get)
                    .filter(Objects::nonNull)
                    .toList();
            var item = PolicyImpact.evaluate(
                    keys,
                    applicable,
                    proposed,
                    entitlement,
                    instances.getOrDefault(entitlement.projectApp(), List.of()));
            if (item != null) {
                items.add(item);
            }
        }
        return items;
    }
}
