package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceRecorder.EvidenceDraft;
import dev.slipway.audit.evidence.EvidenceRecorder.Producer;
import dev.slipway.audit.evidence.ReleaseJson.AddEvidenceBody;
import dev.slipway.audit.evidence.ReleaseJson.EvidenceDetail;
import dev.slipway.audit.evidence.ReleaseJson.ReleaseMetadata;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.ingest.ContentReader;
import dev.slipway.audit.evidence.ingest.EvidenceContent;
import dev.slipway.audit.evidence.ingest.EvidenceException;
import dev.slipway.audit.evidence.ingest.SecretException;
import dev.slipway.audit.evidence.ingest.SecretScanner;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** Serves the evidence of release candidates. */
public final class EvidenceApi {
    private static final String ACTION = "evidence.write";

    private final Vertx vertx;
    private final ReleaseStore releases;
    private final EvidenceStore store;
    private final EvidenceRecorder recorder;
    private final EvidenceContents contents;
    private final ContentReader reader;
    private final Mutations mutations;

    EvidenceApi(
            Vertx vertx,
            ReleaseStore releases,
            EvidenceStore store,
            EvidenceRecorder recorder,
            EvidenceContents contents,
            ContentReader reader,
            Mutations mutations) {
        this.vertx = vertx;
        this.releases = releases;
        this.store = store;
        this.recorder = recorder;
        this.contents = contents;
        this.reader = reader;
        this.mutations = mutations;
    }

    /** Stores large content before the transaction starts: if that fails, nothing is recorded and the gates stay as they are. */
    public Future<Reply> add(Request request) {
        var body = Json.toRecord(request.body(), AddEvidenceBody.class);
        requireNoApproval(body.type());
        return mutations.run(
                request,
                () -> releases.find(releaseId(request), request.projectIdOrNull())
                        .compose(candidate -> vertx.executeBlocking(() -> read(request, body), false))
                        .compose(draft -> contents.store(draft.content()).map(ok -> draft)),
                (unit, draft) -> append(unit, request, draft));
    }

    private Future<Reply> append(UnitOfWork unit, Request request, EvidenceDraft draft) {
        var principal = request.principal();
        var producer = new Producer(principal.id(), principal.type().text());
        return releases.lock(unit, releaseId(request), request.projectIdOrNull())
                .compose(candidate -> recorder.append(unit, candidate, draft, producer))
                .map(recorded -> {
                    ReleaseCandidateApi.audit(
                            unit,
                            request,
                            ACTION,
                            recorded.candidate(),
                            ReleaseMetadata.of(recorded.candidate()).withEvidence(recorded.evidence()));
                    return Reply.ofRecord(recorded.evidence());
                });
    }

    /** Throws a problem if the request contains a credential, or content that does not match its format. */
    private EvidenceDraft read(Request request, AddEvidenceBody body) {
        var format = Objects.requireNonNullElse(body.format(), "json");
        var content = body.content();
        var parsed = new EvidenceContent[1];
        rejectSecrets(() -> {
            SecretScanner.requireNoSecret("", request.body());
            if (content != null) {
                parsed[0] = reader.read(format, content);
            } else if (!format.equals("json")) {
                throw new EvidenceException("/content", "is required for the format " + format);
            }
        });
        return toDraft(body, format, parsed[0]);
    }

    private static EvidenceDraft toDraft(AddEvidenceBody body, String format, @Nullable EvidenceContent parsed) {
        var fields = Json.object();
        if (parsed != null) {
            fields.setAll(parsed.fields());
        }
        var given = body.fields();
        if (given != null) {
            given.properties().forEach(field -> {
                if (parsed == null
                        || parsed.result() == null
                        || !parsed.fields().has(field.getKey())) {
                    fields.set(field.getKey(), field.getValue());
                }
            });
        }
        var subject = body.subject() != null ? body.subject() : parsed == null ? null : parsed.subject();
        return new EvidenceDraft(
                body.type(),
                subject == null ? "release" : subject,
                result(body, parsed),
                body.sourceSha(),
                fields,
                format,
                parsed);
    }

    /** The content decides; a contradicting result is rejected. */
    private static @Nullable String result(AddEvidenceBody body, @Nullable EvidenceContent parsed) {
        var determined = parsed == null ? null : parsed.result();
        if (determined != null && body.result() != null && !determined.equals(body.result())) {
            throw Problem.validationOf(
                            ErrorCode.EVIDENCE_INVALID, "/result", "contradicts the content, which says " + determined)
                    .asException();
        }
        return determined == null ? body.result() : determined;
    }

    public Future<Reply> list(Request request) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        var limit = request.limit();
        var superseded = Boolean.parseBoolean(request.query("superseded"));
        return releases.find(releaseId(request), request.projectIdOrNull())
                .compose(candidate -> store.list(candidate.id(), superseded, cursor, limit + 1))
                .map(found -> Page.of(found, limit, item -> new Cursor(item.recordedAt(), item.id()))
                        .toReply(item -> item));
    }

    public Future<Reply> get(Request request) {
        return releases.find(releaseId(request), request.projectIdOrNull())
                .compose(candidate -> store.find(candidate.id(), request.pathId("evidence_id")))
                .compose(row -> row == null
                        ? Future.succeededFuture(Reply.of(Problem.of(ErrorCode.NOT_FOUND, "Not found.")))
                        : contents.read(row)
                                .map(content -> Reply.ofRecord(new EvidenceDetail(row.evidence(), content))));
    }

    /** Converts the exceptions of readers to problems. The problem names the kind of credential, never the credential. */
    static void rejectSecrets(Runnable check) {
        try {
            check.run();
        } catch (SecretException e) {
            var pattern = e.pattern().text();
            var problem = Problem.validationOf(
                    ErrorCode.EVIDENCE_CONTAINS_SECRET,
                    e.field(),
                    "contains a credential (" + pattern + "). Remove it, and revoke it if it is in use");
            problem.details().put("pattern", pattern);
            throw problem.asException();
        } catch (EvidenceException e) {
            throw Problem.validationOf(ErrorCode.EVIDENCE_INVALID, e.field(), String.valueOf(e.getMessage()))
                    .asException();
        }
    }

    private static void requireNoApproval(String type) {
        if (EvidenceType.isApproval(type)) {
            throw Problem.validationOf(
                            ErrorCode.EVIDENCE_INVALID,
                            "/type",
                            "is a decision: record it with POST …/approvals/product, platform or security")
                    .asException();
        }
    }

    private static UUID releaseId(Request request) {
        return request.pathId("release_id");
    }
}
