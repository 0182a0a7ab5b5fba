package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PolicyJson.AuditMetadata;
import dev.slipway.catalog.policy.PolicyJson.EffectiveResponse;
import dev.slipway.catalog.policy.PolicyJson.LevelRequest;
import dev.slipway.catalog.policy.PolicyJson.LevelResponse;
import dev.slipway.catalog.policy.PolicyLevelStore.PolicyVersion;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyDocument;
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
import java.util.function.Function;

/** API operations on policy documents and the effective policy. */
public final class PolicyApi {
    private final EffectivePolicyStore policies;
    private final PolicyLevelStore store;
    private final Mutations mutations;

    public PolicyApi(EffectivePolicyStore policies, PolicyLevelStore store, Mutations mutations) {
        this.policies = policies;
        this.store = store;
        this.mutations = mutations;
    }

    public static PolicySubject global(Request request) {
        return PolicySubject.global();
    }

    public static PolicySubject plan(Request request) {
        return PolicySubject.plan(request.path("plan"));
    }

    public static PolicySubject organization(Request request) {
        return PolicySubject.organization(request.pathId("org_id"));
    }

    public static PolicySubject department(Request request) {
        return PolicySubject.department(request.pathId("org_id"), request.pathId("department_id"));
    }

    public static PolicySubject project(Request request) {
        return PolicySubject.project(requireOrgId(request), request.projectId());
    }

    public Function<Request, Future<Reply>> get(Function<Request, PolicySubject> subjectOf) {
        return request -> {
            var subject = subjectOf.apply(request);
            var version = request.query("version");
            return store.find(subject, version == null ? null : Integer.valueOf(version))
                    .map(found -> ETags.withETag(Reply.ofRecord(LevelResponse.of(subject, found))));
        };
    }

    public Function<Request, Future<Reply>> put(Function<Request, PolicySubject> subjectOf) {
        return request -> {
            var subject = subjectOf.apply(request);
            return mutations
                    .run(request, unit -> PolicyLevelStore.lock(unit, subject).compose(before -> {
                        ETags.requireMatch(request, before.version());
                        return EffectivePolicyStore.findForSubject(unit, subject)
                                .map(levels -> writeLevel(request, unit, subject, before, levels));
                    }))
                    .map(ETags::withETag);
        };
    }

    public Future<Reply> getEffective(Request request) {
        var appSlug = request.query("app_slug");
        var explain = Boolean.parseBoolean(request.query("explain"));
        return policies.findForProject(requireOrgId(request), request.projectId(), appSlug)
                .map(levels -> Reply.ofRecord(
                        EffectiveResponse.of(request.projectId(), appSlug, levels.effective(), explain)));
    }

    private static Reply writeLevel(
            Request request, UnitOfWork unit, PolicySubject subject, PolicyVersion before, PolicyLevels levels) {
        var body = Json.toRecord(request.body(), LevelRequest.class);
        var after = before.nextVersion(body.valuesOrEmpty(), body.hardDeniesOrEmpty(), request.principal(), unit.now());
        var proposed = parseDocument(subject, levels, after.version(), after.values(), after.hardDenies());
        var widenings = levels.effectiveAbove(subject.level()).widenings(proposed);
        if (!widenings.isEmpty()) {
            throw PolicyJson.wideningProblem(widenings).asException();
        }
        PolicyLevelStore.update(unit, subject, after);
        var response = LevelResponse.of(subject, after);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        "apps.policy.write",
                        "policy_level",
                        subject.level().text() + ":" + subject.id(),
                        subject.orgId(),
                        subject.projectId(),
                        Json.toObject(new AuditMetadata(LevelResponse.of(subject, before), response))));
        return Reply.ofRecord(response);
    }

    /** Validates and parses a proposed document. */
    static PolicyDocument parseDocument(
            PolicySubject subject, PolicyLevels levels, long version, ObjectNode values, ObjectNode hardDenies) {
        var problems = new ArrayList<FieldProblem>();
        PolicyDocument.validate(levels.writable(), subject.level(), values, "/values", hardDenies, problems);
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.POLICY_INVALID, problems).asException();
        }
        return PolicyDocument.fromStored(levels.keys(), subject.level(), subject.id(), version, values, hardDenies);
    }

    private static UUID requireOrgId(Request request) {
        return Objects.requireNonNull(request.orgId(), "project without organization");
    }
}
