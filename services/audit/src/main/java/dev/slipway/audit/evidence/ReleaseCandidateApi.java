package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceRecorder.EvidenceDraft;
import dev.slipway.audit.evidence.EvidenceRecorder.Producer;
import dev.slipway.audit.evidence.ReleaseEvaluator.Evaluation;
import dev.slipway.audit.evidence.ReleaseJson.ApprovalFields;
import dev.slipway.audit.evidence.ReleaseJson.ApproveBody;
import dev.slipway.audit.evidence.ReleaseJson.CreateReleaseBody;
import dev.slipway.audit.evidence.ReleaseJson.FamilyResponse;
import dev.slipway.audit.evidence.ReleaseJson.ReleaseMetadata;
import dev.slipway.audit.evidence.ReleaseJson.ReleaseResponse;
import dev.slipway.audit.evidence.ReleaseJson.ReleaseSummary;
import dev.slipway.audit.evidence.ReleaseJson.VerdictResponse;
import dev.slipway.audit.evidence.ReleaseJson.WaiveBody;
import dev.slipway.audit.evidence.ReleaseJson.WaiverResponse;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.domain.FamilyResult;
import dev.slipway.audit.evidence.domain.FamilyResult.GateFindings;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.audit.evidence.ingest.SecretScanner;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Serves release candidates, approvals and waivers: of the project in the path, or of all products if there is none. */
public final class ReleaseCandidateApi {
    private static final String WRITE_ACTION = "evidence.release.write";
    private static final String WAIVE_ACTION = "evidence.waiver.write";
    private static final String RELEASE = "release";
    private static final Duration MAX_WAIVER = Duration.ofDays(90);
    /** They are all evaluated again when the candidate that validated their revision changes. */
    private static final int MAX_FAST_CANDIDATES = 100;

    private final ReleaseStore store;
    private final ReleaseEvaluator evaluator;
    private final EvidenceRecorder recorder;
    private final Mutations mutations;
    private final Function<UUID, @Nullable UUID> orgOf;

    /** {@code orgOf} returns the organization of a project, or null if there is no such project. */
    ReleaseCandidateApi(
            ReleaseStore store,
            ReleaseEvaluator evaluator,
            EvidenceRecorder recorder,
            Mutations mutations,
            Function<UUID, @Nullable UUID> orgOf) {
        this.store = store;
        this.evaluator = evaluator;
        this.recorder = recorder;
        this.mutations = mutations;
        this.orgOf = orgOf;
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateReleaseBody.class);
        EvidenceApi.rejectSecrets(() -> SecretScanner.requireNoSecret("", request.body()));
        var projectId = request.projectIdOrNull() == null ? body.projectId() : request.projectIdOrNull();
        var orgId = projectId == null ? null : requireOrg(projectId);
        return mutations.run(
                request, unit -> findPromotion(unit, body, projectId).compose(promotion -> {
                    var principal = request.principal();
                    var candidate = new ReleaseCandidate(
                            Ids.next(),
                            orgId,
                            projectId,
                            body.toAttributes(),
                            promotion,
                            principal.id(),
                            principal.responsibleUserId(),
                            0,
                            GateVerdict.BLOCKED,
                            Ids.next(),
                            null,
                            unit.now(),
                            unit.now());
                    store.insert(unit, candidate);
                    return evaluator.evaluate(unit, candidate).map(evaluation -> {
                        ReleaseEvents.publishCreated(unit, evaluation.candidate());
                        audit(
                                unit,
                                request,
                                WRITE_ACTION,
                                evaluation.candidate(),
                                ReleaseMetadata.of(evaluation.candidate()));
                        var path = projectId == null || request.projectIdOrNull() == null
                                ? "/api/v1/platform/releases/"
                                : "/api/v1/projects/" + projectId + "/releases/";
                        return Reply.ofRecord(response(evaluation), path + candidate.id());
                    });
                }));
    }

    /** Fails with a problem if a fast candidate is requested for a source revision that was not validated. */
    private Future<Promotion> findPromotion(UnitOfWork unit, CreateReleaseBody body, @Nullable UUID projectId) {
        if (body.promotion() != Promotion.Kind.FAST) {
            return Future.succeededFuture(Promotion.FULL);
        }
        var release = body.toAttributes();
        return store.lockPassed(unit, release.sourceSha(), release.product(), projectId)
                .map(passed -> {
                    var promotion = passed == null ? null : Promotion.fast(release, projectId, passed);
                    if (promotion == null) {
                        throw revisionNotValidated(release);
                    }
                    return promotion;
                })
                .compose(promotion -> requireCapacity(unit, promotion));
    }

    private Future<Promotion> requireCapacity(UnitOfWork unit, Promotion promotion) {
        var validatedId =
                Objects.requireNonNull(promotion.validatedReleaseId(), "a fast candidate has a validated one");
        return store.countFastCandidates(unit, validatedId).map(count -> {
            if (count >= MAX_FAST_CANDIDATES) {
                throw Problem.of(
                                ErrorCode.STATE_CONFLICT,
                                "The release " + validatedId + " has " + MAX_FAST_CANDIDATES
                                        + " fast candidates. Create a full candidate.")
                        .asException();
            }
            return promotion;
        });
    }

    private static RuntimeException revisionNotValidated(ReleaseAttributes release) {
        return Problem.validationOf(
                        ErrorCode.REVISION_NOT_VALIDATED,
                        "/promotion",
                        "can be fast only after a full release candidate of " + release.product()
                                + " with the source revision " + release.sourceSha()
                                + " has passed all gates in the same project, without a waiver. Create a candidate with the"
                                + " promotion full")
                .asException();
    }

    public Future<Reply> list(Request request) {
        var limit = request.limit();
        return store.list(
                        request.projectIdOrNull(),
                        request.query("product"),
                        request.query("verdict"),
                        request.cursor(),
                        limit + 1)
                .map(found -> Page.of(found, limit, candidate -> new Cursor(candidate.createdAt(), candidate.id()))
                        .toReply(ReleaseSummary::of));
    }

    public Future<Reply> get(Request request) {
        return find(request).compose(candidate -> store.listCurrentVerdicts(store.reads(), candidate)
                .compose(verdicts -> evaluator
                        .loadBundle(store.reads(), candidate)
                        .map(bundle -> Reply.ofRecord(response(new Evaluation(candidate, verdicts, bundle))))));
    }

    /** Evaluates the gates again: after a waiver has expired, or the registry has changed. */
    public Future<Reply> evaluate(Request request) {
        return mutations.run(request, unit -> lock(unit, request)
                .compose(candidate -> evaluator.evaluate(unit, candidate))
                .map(evaluation -> {
                    audit(
                            unit,
                            request,
                            WRITE_ACTION,
                            evaluation.candidate(),
                            ReleaseMetadata.of(evaluation.candidate()));
                    return Reply.ofRecord(response(evaluation));
                }));
    }

    /** Returns the handler of an approval; {@code owner} is product, platform or security. */
    public Function<Request, Future<Reply>> approve(String owner) {
        return request -> approve(request, owner + "_approval", "evidence.approval." + owner);
    }

    private Future<Reply> approve(Request request, String type, String action) {
        var body = Json.toRecord(request.body(), ApproveBody.class);
        EvidenceApi.rejectSecrets(() -> SecretScanner.requireNoSecret("", request.body()));
        var principal = request.principal();
        return mutations.run(request, unit -> lock(unit, request)
                .map(candidate -> requireOther(candidate, request, "approve"))
                .compose(candidate -> {
                    var fields = Json.toObject(new ApprovalFields(principal.id(), unit.now(), body.comment()));
                    var draft = new EvidenceDraft(type, RELEASE, body.decision().text(), null, fields, "json", null);
                    var producer = new Producer(principal.id(), principal.type().text());
                    return recorder.append(unit, candidate, draft, producer);
                })
                .map(recorded -> {
                    audit(
                            unit,
                            request,
                            action,
                            recorded.candidate(),
                            ReleaseMetadata.of(recorded.candidate()).withEvidence(recorded.evidence()));
                    return Reply.ofRecord(recorded.evidence());
                }));
    }

    public Future<Reply> waive(Request request) {
        var body = Json.toRecord(request.body(), WaiveBody.class);
        EvidenceApi.rejectSecrets(() -> SecretScanner.requireNoSecret("", request.body()));
        return mutations.run(request, unit -> lock(unit, request)
                .map(candidate -> requireOther(candidate, request, "waive a gate of"))
                .compose(candidate -> {
                    var waiver = new Waiver(
                            Ids.next(), body.gate(), unit.now(), requireExpiry(body.expiresAt(), unit.now()));
                    var grantedBy = request.principal().id();
                    store.insertWaiver(unit, candidate.id(), waiver, body.owner(), body.reason(), grantedBy);
                    return evaluator.evaluate(unit, candidate).map(evaluation -> {
                        var next = evaluation.candidate();
                        ReleaseEvents.publishWaived(unit, next, waiver, body.owner());
                        audit(
                                unit,
                                request,
                                WAIVE_ACTION,
                                next,
                                ReleaseMetadata.of(next).withWaiver(body));
                        return Reply.ofRecord(WaiverResponse.of(next.id(), waiver, body, grantedBy));
                    });
                }));
    }

    private static Instant requireExpiry(Instant expiresAt, Instant now) {
        if (!expiresAt.isAfter(now) || expiresAt.isAfter(now.plus(MAX_WAIVER))) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/expires_at",
                            "must be in the future and at most " + MAX_WAIVER.toDays() + " days from now")
                    .asException();
        }
        return expiresAt.truncatedTo(ChronoUnit.MICROS); // what the database stores
    }

    private static ReleaseCandidate requireOther(ReleaseCandidate candidate, Request request, String verb) {
        var principal = request.principal();
        if (candidate.isAuthor(principal.id(), principal.responsibleUserId())) {
            throw Problem.of(
                            ErrorCode.SEPARATION_OF_DUTIES,
                            "The author of a release candidate cannot " + verb + " it. Ask another owner.")
                    .asException();
        }
        return candidate;
    }

    private UUID requireOrg(UUID projectId) {
        var orgId = orgOf.apply(projectId);
        if (orgId == null) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/project_id", "is not a project")
                    .asException();
        }
        return orgId;
    }

    private Future<ReleaseCandidate> find(Request request) {
        return store.find(request.pathId("release_id"), request.projectIdOrNull());
    }

    private Future<ReleaseCandidate> lock(UnitOfWork unit, Request request) {
        return store.lock(unit, request.pathId("release_id"), request.projectIdOrNull());
    }

    private static ReleaseResponse response(Evaluation evaluation) {
        var bundle = evaluation.bundle();
        var present = bundle.evidence().stream().map(Evidence::type).collect(Collectors.toSet());
        var missing = bundle.types().types().stream()
                .filter(type -> type.active() && !type.id().equals("approval"))
                .map(EvidenceType::id)
                .filter(id -> !present.contains(id))
                .toList();
        var verdicts = evaluation.verdicts().stream()
                .sorted(Comparator.comparing(StoredVerdict::gate))
                .toList();
        var findings = verdicts.stream()
                .map(verdict -> new GateFindings(
                        verdict.gate(),
                        verdict.verdict(),
                        VerdictDocument.parse(verdict.document()).items()))
                .toList();
        return new ReleaseResponse(
                ReleaseSummary.of(evaluation.candidate()),
                verdicts.stream().map(VerdictResponse::of).toList(),
                FamilyResult.of(findings, bundle.types().families()).stream()
                        .map(FamilyResponse::of)
                        .toList(),
                missing);
    }

    static void audit(
            UnitOfWork unit, Request request, String action, ReleaseCandidate candidate, ReleaseMetadata metadata) {
        AuditTrail.recordSuccess(unit, request.principal(), auditEntry(action, candidate, metadata));
    }

    static AuditEntry auditEntry(String action, ReleaseCandidate candidate, ReleaseMetadata metadata) {
        return new AuditEntry(
                action,
                RELEASE,
                candidate.id().toString(),
                candidate.orgId(),
                candidate.projectId(),
                Json.toObject(metadata));
    }
}
