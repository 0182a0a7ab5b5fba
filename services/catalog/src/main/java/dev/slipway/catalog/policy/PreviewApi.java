package dev.slipway.catalog.policy;

import dev.slipway.catalog.policy.PreviewStore.Held;
import dev.slipway.catalog.policy.PreviewStore.Launched;
import dev.slipway.catalog.policy.PreviewStore.Pair;
import dev.slipway.catalog.policy.PreviewStore.Said;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Tells what a change of policy would do, and changes nothing. */
public final class PreviewApi {
    private final PolicyStore policies;
    private final PolicyLevelStore levels;
    private final PreviewStore store;

    public PreviewApi(PolicyStore policies, PolicyLevelStore levels, PreviewStore store) {
        this.policies = policies;
        this.levels = levels;
        this.store = store;
    }

    public Future<Reply> ofPlatform(Request request) {
        var plan = request.body().path("plan").textValue();
        return preview(request, plan == null ? Subject.global() : Subject.plan(plan));
    }

    public Future<Reply> ofOrganization(Request request) {
        var orgId = request.pathId("org_id");
        var departmentId = request.body().path("department_id").textValue();
        var projectId = request.body().path("project_id").textValue();
        if (departmentId != null && projectId != null) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "/department_id", "is named beside a project: name one of them")
                    .asException();
        }
        if (projectId != null) {
            return preview(request, Subject.project(orgId, UUID.fromString(projectId)));
        }
        return preview(
                request,
                departmentId == null
                        ? Subject.organization(orgId)
                        : Subject.department(orgId, UUID.fromString(departmentId)));
    }

    private Future<Reply> preview(Request request, Subject subject) {
        return levels.requireKnown(subject).compose(ok -> policies.of(subject)).compose(spoken -> {
            var proposed = PolicyApi.proposed(
                    subject, spoken, 1, PolicyApi.said(request, "values"), PolicyApi.said(request, "hard_denies"));
            return store.held(subject, request.cursor(), request.limit()).compose(page -> look(spoken, proposed, page));
        });
    }

    private Future<Reply> look(Levels spoken, PolicyDocument proposed, Page<Held> page) {
        var said = store.said(spoken.keys(), page.items());
        var launched = store.launched(page.items());
        return Future.all(said, launched).map(ok -> {
            var body = touched(spoken.keys(), proposed, page, said.result(), launched.result())
                    .json(item -> item);
            var widenings = body.putArray("widenings");
            spoken.above(proposed.level())
                    .widenings(proposed)
                    .forEach(each -> widenings.add(PolicyJson.widening(each)));
            return Reply.of(body);
        });
    }

    private static Page<com.fasterxml.jackson.databind.node.ObjectNode> touched(
            PolicyKeys keys,
            PolicyDocument proposed,
            Page<Held> page,
            Map<Said, PolicyDocument> said,
            Map<Pair, List<Launched>> launched) {
        var items = new ArrayList<com.fasterxml.jackson.databind.node.ObjectNode>();
        for (var held : page.items()) {
            var speaking = held.places().stream()
                    .map(said::get)
                    .filter(Objects::nonNull)
                    .toList();
            var item = Preview.item(keys, speaking, proposed, held, launched.getOrDefault(held.pair(), List.of()));
            if (item != null) {
                items.add(item);
            }
        }
        return new Page<>(items, page.next());
    }
}
