package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PolicyLevelStore.Written;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyDocument;
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
import java.util.function.Function;

/** The operations on what the levels say, and on what they leave. */
public final class PolicyApi {
    private final PolicyStore policies;
    private final PolicyLevelStore store;
    private final Mutations mutations;

    public PolicyApi(PolicyStore policies, PolicyLevelStore store, Mutations mutations) {
        this.policies = policies;
        this.store = store;
        this.mutations = mutations;
    }

    public static Subject global(Request request) {
        return Subject.global();
    }

    public static Subject plan(Request request) {
        return Subject.plan(request.path("plan"));
    }

    public static Subject organization(Request request) {
        return Subject.organization(request.pathId("org_id"));
    }

    public static Subject department(Request request) {
        return Subject.department(request.pathId("org_id"), request.pathId("department_id"));
    }

    public static Subject project(Request request) {
        return Subject.project(orgOf(request), request.projectId());
    }

    public Function<Request, Future<Reply>> get(Function<Request, Subject> of) {
        return request -> {
            var subject = of.apply(request);
            var version = request.query("version");
            return store.find(subject, version == null ? null : Integer.valueOf(version))
                    .map(found -> ETags.tagged(Reply.of(PolicyJson.level(subject, found))));
        };
    }

    public Function<Request, Future<Reply>> put(Function<Request, Subject> of) {
        return request -> {
            var subject = of.apply(request);
            return mutations
                    .run(request, unit -> PolicyLevelStore.lock(unit, subject).compose(before -> {
                        ETags.require(request, before.version());
                        return PolicyStore.of(unit, subject)
                                .map(levels -> written(request, unit, subject, before, levels));
                    }))
                    .map(ETags::tagged);
        };
    }

    public Future<Reply> effective(Request request) {
        var appSlug = request.query("app_slug");
        var explain = Boolean.parseBoolean(request.query("explain"));
        return policies.ofProject(orgOf(request), request.projectId(), appSlug)
                .map(levels ->
                        Reply.of(PolicyJson.effective(request.projectId(), appSlug, levels.effective(), explain)));
    }

    private static Reply written(Request request, UnitOfWork unit, Subject subject, Written before, Levels levels) {
        var after = before.next(said(request, "values"), said(request, "hard_denies"), request.principal(), unit.now());
        var proposed = proposed(subject, levels, after.version(), after.values(), after.hardDenies());
        var widenings = levels.above(subject.level()).widenings(proposed);
        if (!widenings.isEmpty()) {
            throw PolicyJson.widens(widenings).asException();
        }
        PolicyLevelStore.write(unit, subject, after);
        var metadata = Json.object();
        metadata.set("before", PolicyJson.level(subject, before));
        metadata.set("after", PolicyJson.level(subject, after));
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "apps.policy.write",
                        "policy_level",
                        subject.level().text() + ":" + subject.id(),
                        subject.orgId(),
                        subject.projectId(),
                        metadata));
        return Reply.of(PolicyJson.level(subject, after));
    }

    static ObjectNode said(Request request, String field) {
        return request.body().path(field) instanceof ObjectNode given ? given : Json.object();
    }

    /** What is to be said, if everything in it can be said at this level. */
    static PolicyDocument proposed(
            Subject subject, Levels levels, long version, ObjectNode values, ObjectNode hardDenies) {
        var problems = new ArrayList<FieldProblem>();
        PolicyDocument.check(levels.writable(), subject.level(), values, "/values", hardDenies, problems);
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.POLICY_INVALID, problems).asException();
        }
        return PolicyDocument.stored(levels.keys(), subject.level(), subject.id(), version, values, hardDenies);
    }

    private static UUID orgOf(Request request) {
        return Objects.requireNonNull(request.orgId(), "a project without organization");
    }
}
