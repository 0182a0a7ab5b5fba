package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.LaunchContextStore;
import dev.slipway.instances.launch.LaunchPlan;
import dev.slipway.instances.launch.PlanStore;
import dev.slipway.instances.launch.PlanTable;
import dev.slipway.instances.launch.PlanView;
import dev.slipway.instances.launch.ProjectPolicyStore;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.Attachment.Policies;
import dev.slipway.instances.sharedruntime.domain.AttachmentRequests;
import dev.slipway.instances.sharedruntime.domain.LoadedSharedRuntime;
import dev.slipway.instances.sharedruntime.domain.RuntimeDecision;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeChange;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.Refusals;
import dev.slipway.operations.domain.Operation;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Attaches projects to shared runtimes, changes their policies, and detaches them. */
public final class AttachmentApi {
    private static final String ACTION = "apps.shared_runtime.attachment.";
    private static final String FORCE_DETACH = ACTION + "force_detach";
    private static final int MAX_APP_POLICY_BYTES = 16 * 1024;

    private final Vertx vertx;
    private final SharedRuntimeStore runtimes;
    private final SharedRuntimeReadStore reads;
    private final SharedRuntimeContextStore contexts;
    private final LaunchContextStore manifests;
    private final ProjectPolicyStore policies;
    private final AdapterStore adapters;
    private final Authorizer authorizer;
    private final Mutations mutations;

    public AttachmentApi(
            Vertx vertx,
            SharedRuntimeStore runtimes,
            SharedRuntimeReadStore reads,
            SharedRuntimeContextStore contexts,
            LaunchContextStore manifests,
            ProjectPolicyStore policies,
            AdapterStore adapters,
            Authorizer authorizer,
            Mutations mutations) {
        this.vertx = vertx;
        this.runtimes = runtimes;
        this.reads = reads;
        this.contexts = contexts;
        this.manifests = manifests;
        this.policies = policies;
        this.adapters = adapters;
        this.authorizer = authorizer;
        this.mutations = mutations;
    }

    /** The body of an attachment, and of a change of its policies: then without the project. */
    private record AttachmentBody(
            @Nullable UUID projectId,
            AttachmentPolicyJson.@Nullable Contribution contributionPolicy,
            AttachmentPolicyJson.@Nullable Submission submissionPolicy,
            @Nullable JsonNode appPolicy,
            @Nullable String billingPolicyRef,
            @Nullable UUID planId) {
        /** Returns the policies, with the current ones where the body has none. */
        Policies toPolicies(Policies current) {
            return new Policies(
                    contributionPolicy == null ? current.contribution() : contributionPolicy.toPolicy(),
                    submissionPolicy == null ? current.submission() : submissionPolicy.toPolicy(),
                    appPolicy == null ? current.appPolicy() : Json.text(appPolicy),
                    billingPolicyRef == null ? current.billingPolicyRef() : billingPolicyRef);
        }
    }

    public Future<Reply> list(Request request) {
        var call = SharedRuntimeCall.of(request);
        var cursor = request.cursor();
        return reads.find(call.orgId(), call.runtimeId())
                .compose(runtime -> reads.listAttachments(call.orgId(), call.runtimeId(), cursor, request.limit())
                        .map(page -> page.toReply(attachment -> AttachmentView.of(attachment, runtime, (UUID) null))));
    }

    public Future<Reply> get(Request request) {
        var call = SharedRuntimeCall.of(request);
        return reads.find(call.orgId(), call.runtimeId()).compose(runtime -> reads.findAttachment(
                        call.orgId(), call.runtimeId(), request.pathId("attachment_id"))
                .compose(attachment -> reads.findDetachment(attachment)
                        .map(operationId -> ETags.withETag(
                                Reply.of(AttachmentView.of(attachment, runtime, operationId)), "revision"))));
    }

    /** The outcome of an allowed attachment. */
    private record AllowedOutcome(
            LaunchPlan.Decision decision,
            UUID sharedRuntimeId,
            AttachmentPolicyJson.Contribution contributionPolicy,
            AttachmentPolicyJson.Submission submissionPolicy) {}

    public Future<Reply> create(Request request) {
        var call = SharedRuntimeCall.of(request);
        var body = Json.toRecord(request.body(), AttachmentBody.class);
        return mutations
                .run(request, unit -> load(unit, call).compose(loaded -> decide(unit, call, loaded, body)
                        .compose(decision -> LaunchContextStore.consumePlan(
                                        unit, PlanTable.SHARED_RUNTIMES, call.orgId(), body.planId())
                                .map(plan -> {
                                    if (plan != null) {
                                        plan.requireUnchanged(toPlan(call, decision));
                                    }
                                    var change = SharedRuntimeCall.requireAccepted(decision);
                                    return reply(
                                            unit,
                                            call,
                                            change,
                                            change.addedAttachments().get(0),
                                            "create");
                                }))))
                .map(reply -> ETags.withETag(reply, "revision"));
    }

    private Future<RuntimeDecision> decide(
            UnitOfWork unit, SharedRuntimeCall call, LoadedSharedRuntime loaded, AttachmentBody body) {
        var projectId = Objects.requireNonNull(body.projectId());
        var app = loaded.runtime().app();
        var principal = call.request().principal();
        return manifests.loadManifest(unit, app).compose(manifest -> validate(manifest, body.appPolicy())
                .compose(ok -> contexts.loadProject(
                        unit,
                        call.orgId(),
                        projectId,
                        app.slug(),
                        app.version(),
                        principal.responsibleUserId(),
                        principal.id()))
                .map(project -> AttachmentRequests.attach(
                        loaded,
                        manifest.spec(),
                        projectId,
                        body.toPolicies(Policies.DEFAULT),
                        SharedRuntimeEligibility.checkProject(project),
                        SharedRuntimeCall.context(unit))));
    }

    /** Decides on an attachment and stores the outcome as a plan, without attaching the project. */
    public Future<Reply> plan(Request request) {
        var call = SharedRuntimeCall.of(request);
        var body = Json.toRecord(request.body(), AttachmentBody.class);
        var projectId = Objects.requireNonNull(body.projectId());
        return mutations.run(request, unit -> load(unit, call)
                .compose(loaded -> decide(unit, call, loaded, body).compose(decision -> {
                    var app = loaded.runtime().app();
                    return Future.all(
                                    policies.findEffective(call.orgId(), projectId, List.of(app.appId())),
                                    adapters.findAvailability(app.runtimeBackend()),
                                    loadSpending(unit, call, loaded, projectId))
                            .map(all -> {
                                Map<UUID, EffectivePolicy> found = all.resultAt(0);
                                var plan = toPlan(call, decision);
                                var stored = PlanStore.insert(unit, PlanTable.SHARED_RUNTIMES, call.orgId(), plan);
                                return Reply.of(PlanView.ofSharedRuntime(
                                        stored,
                                        plan,
                                        found.get(app.appId()),
                                        all.resultAt(1),
                                        all.resultAt(2),
                                        unit.now()));
                            });
                })));
    }

    private Future<Spending> loadSpending(
            UnitOfWork unit, SharedRuntimeCall call, LoadedSharedRuntime loaded, UUID projectId) {
        return manifests
                .loadManifest(unit, loaded.runtime().app())
                .compose(manifest -> contexts.loadSpending(
                        unit, call.orgId(), projectId, manifest.spec().usageUnits()));
    }

    private static LaunchPlan toPlan(SharedRuntimeCall call, RuntimeDecision decision) {
        var request = ((ObjectNode) call.request().body())
                .deepCopy()
                .put("shared_runtime_id", call.runtimeId().toString());
        if (decision instanceof RuntimeDecision.Refused refused) {
            return LaunchPlan.refused(request, Refusals.toProblem(refused.refusal()));
        }
        var change = ((RuntimeDecision.Accepted) decision).change();
        var attachment = change.addedAttachments().get(0);
        return LaunchPlan.of(
                request,
                new AllowedOutcome(
                        LaunchPlan.Decision.ALLOWED,
                        attachment.sharedRuntimeId(),
                        AttachmentPolicyJson.Contribution.of(
                                attachment.contributionOr(change.next().contribution())),
                        AttachmentPolicyJson.Submission.of(
                                attachment.submissionOr(change.next().submission()))));
    }

    /** Changes the policies, and returns what exceeds them now. */
    public Future<Reply> update(Request request) {
        var call = SharedRuntimeCall.of(request);
        var body = Json.toRecord(request.body(), AttachmentBody.class);
        return mutations
                .run(request, unit -> load(unit, call).compose(loaded -> {
                    var attachment = require(loaded, request.pathId("attachment_id"));
                    ETags.requireMatch(request, attachment.revision());
                    return manifests.loadManifest(unit, loaded.runtime().app()).compose(manifest -> validate(
                                    manifest, body.appPolicy())
                            .map(ok -> update(unit, call, loaded, attachment, body, manifest)));
                }))
                .map(reply -> ETags.withETag(reply, "revision"));
    }

    private Reply update(
            UnitOfWork unit,
            SharedRuntimeCall call,
            LoadedSharedRuntime loaded,
            Attachment attachment,
            AttachmentBody body,
            CompiledManifest manifest) {
        var current = new Policies(
                attachment.contribution(),
                attachment.submission(),
                attachment.appPolicy(),
                attachment.billingPolicyRef());
        var change = SharedRuntimeCall.requireAccepted(AttachmentRequests.update(
                loaded, attachment, body.toPolicies(current), manifest.spec(), SharedRuntimeCall.context(unit)));
        var runtime = runtimes.apply(unit, change);
        var next = change.updatedAttachments().get(0);
        call.audit(unit, runtime, ACTION + "update", null, next);
        return Reply.of(AttachmentView.of(next, runtime, AttachmentRequests.findExceeding(loaded, next)));
    }

    public Future<Reply> delete(Request request) {
        var call = SharedRuntimeCall.of(request);
        var mode = SharedRuntimeApi.mode(request);
        var id = request.pathId("attachment_id");
        return mutations.run(request, unit -> load(unit, call).compose(loaded -> {
            if (mode == RemovalMode.FORCE) {
                call.requireAllowed(authorizer, FORCE_DETACH, unit.now());
            }
            var attachment = loaded.attachment(id);
            return attachment == null
                    ? alreadyDetached(unit, call, loaded, id)
                    : detach(unit, call, loaded, attachment, mode);
        }));
    }

    private Future<Reply> detach(
            UnitOfWork unit,
            SharedRuntimeCall call,
            LoadedSharedRuntime loaded,
            Attachment attachment,
            RemovalMode mode) {
        var context = SharedRuntimeCall.context(unit);
        return Future.all(
                        runtimes.listAppInstances(unit, loaded.runtime().id(), attachment.projectId()),
                        manifests.loadManifest(unit, loaded.runtime().app()))
                .map(both -> {
                    List<UUID> instances = both.resultAt(0);
                    CompiledManifest manifest = both.resultAt(1);
                    var change = SharedRuntimeCall.requireAccepted(AttachmentRequests.detach(
                            loaded,
                            attachment,
                            instances,
                            mode,
                            call.caller(),
                            context.now().plus(manifest.spec().deadlines().member()),
                            context));
                    var next = change.updatedAttachments().isEmpty()
                            ? attachment
                            : change.updatedAttachments().get(0);
                    return reply(unit, call, change, next, mode == RemovalMode.FORCE ? "force_detach" : "delete");
                });
    }

    /** Detaching a project that is detached changes nothing; an unknown attachment is not found. */
    private Future<Reply> alreadyDetached(
            UnitOfWork unit, SharedRuntimeCall call, LoadedSharedRuntime loaded, UUID id) {
        return reads.findAttachment(call.orgId(), call.runtimeId(), id).map(attachment -> {
            call.audit(unit, loaded.runtime(), ACTION + "delete", null, attachment);
            return Reply.of(AttachmentView.of(attachment, loaded.runtime(), (UUID) null), path(call, attachment));
        });
    }

    private Reply reply(
            UnitOfWork unit, SharedRuntimeCall call, SharedRuntimeChange change, Attachment attachment, String verb) {
        var runtime = runtimes.apply(unit, change);
        var detachment = change.openedOperations().stream()
                .filter(operation -> operation.kind() == Operation.Kind.DETACH)
                .findFirst()
                .orElse(null);
        call.audit(unit, runtime, ACTION + verb, detachment, attachment);
        return Reply.of(
                AttachmentView.of(attachment, runtime, detachment == null ? null : detachment.id()),
                path(call, attachment));
    }

    private static String path(SharedRuntimeCall call, Attachment attachment) {
        return "/api/v1/orgs/" + call.orgId() + "/shared-app-runtimes/" + call.runtimeId() + "/attachments/"
                + attachment.id();
    }

    /** Validates off the event loop, because the schema and its patterns are untrusted. */
    private Future<Void> validate(CompiledManifest manifest, @Nullable JsonNode appPolicy) {
        if (!(appPolicy instanceof ObjectNode policy)) {
            return Future.succeededFuture();
        }
        if (Json.text(policy).getBytes(StandardCharsets.UTF_8).length > MAX_APP_POLICY_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/app_policy", "is larger than 16 KiB")
                    .asException();
        }
        return vertx.executeBlocking(() -> manifest.validateAppPolicy(policy))
                .compose(problems -> problems.isEmpty()
                        ? Future.succeededFuture()
                        : Future.failedFuture(Problem.validation(problems).asException()));
    }

    private Future<LoadedSharedRuntime> load(UnitOfWork unit, SharedRuntimeCall call) {
        return runtimes.load(unit, call.orgId(), call.runtimeId());
    }

    private static Attachment require(LoadedSharedRuntime loaded, UUID id) {
        var attachment = loaded.attachment(id);
        if (attachment == null) {
            throw SharedRuntimeReadStore.attachmentNotFound(id);
        }
        return attachment;
    }
}
