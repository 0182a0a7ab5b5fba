package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceRecorder.EvidenceDraft;
import dev.slipway.audit.evidence.EvidenceRecorder.Producer;
import dev.slipway.audit.evidence.ReleaseJson.ReceiptResponse;
import dev.slipway.audit.evidence.ReleaseJson.ReleaseMetadata;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.ingest.GitLabEventReader;
import dev.slipway.audit.evidence.ingest.GitLabEventReader.PipelineResult;
import dev.slipway.audit.evidence.ingest.SecretScanner;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Receives pipeline and job events of GitLab. The secret token of the webhook is compared in constant time. */
public final class GitLabWebhookApi {
    private static final String ACTION = "evidence.webhook.receive";
    private static final String TYPE = "pipeline";
    private static final Producer GITLAB = new Producer(null, "gitlab");
    private static final int MAX_CANDIDATES = 50;

    private final Vertx vertx;
    private final @Nullable String secret;
    private final ReleaseStore releases;
    private final EvidenceStore evidence;
    private final EvidenceRecorder recorder;
    private final Mutations mutations;

    /** Rejects every event if no secret is configured. */
    GitLabWebhookApi(
            Vertx vertx,
            @Nullable String secret,
            ReleaseStore releases,
            EvidenceStore evidence,
            EvidenceRecorder recorder,
            Mutations mutations) {
        this.vertx = vertx;
        this.secret = secret;
        this.releases = releases;
        this.evidence = evidence;
        this.recorder = recorder;
        this.mutations = mutations;
    }

    public Future<Reply> receive(Request request) {
        requireToken(request);
        return vertx.executeBlocking(() -> read(request), false)
                .compose(result -> result == null
                        ? Future.succeededFuture(Reply.ofRecord(new ReceiptResponse(List.of())))
                        : mutations.run(request, unit -> append(unit, result)));
    }

    private void requireToken(Request request) {
        var given = request.call().headers().getOrDefault("x-gitlab-token", "");
        if (secret == null || !MessageDigest.isEqual(utf8(secret), utf8(given))) {
            throw Problem.of(
                            ErrorCode.CREDENTIAL_INVALID,
                            "The secret token of the webhook is wrong. Configure the value of SLIPWAY_EVIDENCE_GITLAB_TOKEN.")
                    .asException();
        }
    }

    private static @Nullable PipelineResult read(Request request) {
        var read = new PipelineResult[1];
        EvidenceApi.rejectSecrets(() -> {
            read[0] = GitLabEventReader.read(request.body());
            if (read[0] != null) {
                SecretScanner.requireNoSecret("", read[0].fields());
            }
        });
        return read[0];
    }

    private Future<Reply> append(UnitOfWork unit, PipelineResult result) {
        var recorded = new ArrayList<UUID>();
        return releases.lockBySource(unit, result.sourceSha(), MAX_CANDIDATES)
                .compose(candidates -> {
                    var chain = Future.<Void>succeededFuture();
                    for (var candidate : candidates) {
                        // Read again: evidence of one candidate can change the revision of a fast one that depends on
                        // it.
                        chain = chain.compose(ok -> releases.lock(unit, candidate.id(), null))
                                .compose(current -> appendIfNew(unit, current, result, recorded));
                    }
                    return chain;
                })
                .map(ok -> Reply.ofRecord(new ReceiptResponse(recorded)));
    }

    /** GitLab repeats events: the same result is recorded once. */
    private Future<Void> appendIfNew(
            UnitOfWork unit, ReleaseCandidate candidate, PipelineResult result, List<UUID> recorded) {
        var digest = CanonicalJson.digest(result.fields());
        return evidence.listCurrent(unit, List.of(candidate.id())).compose(current -> {
            var known = current.stream()
                    .anyMatch(item -> item.type().equals(TYPE)
                            && item.subject().equals(result.subject())
                            && CanonicalJson.digest(item.fields()).equals(digest));
            return known ? Future.succeededFuture() : append(unit, candidate, result, recorded);
        });
    }

    private Future<Void> append(
            UnitOfWork unit, ReleaseCandidate candidate, PipelineResult result, List<UUID> recorded) {
        var draft = new EvidenceDraft(
                TYPE, result.subject(), result.result(), result.sourceSha(), result.fields(), "gitlab", null);
        return recorder.append(unit, candidate, draft, GITLAB).map(appended -> {
            recorded.add(appended.evidence().id());
            AuditTrail.recordSystemAction(
                    unit,
                    "system",
                    "gitlab",
                    null,
                    ReleaseCandidateApi.auditEntry(
                            ACTION,
                            appended.candidate(),
                            ReleaseMetadata.of(appended.candidate()).withEvidence(appended.evidence())),
                    AuditResult.SUCCESS,
                    null);
            return null;
        });
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
