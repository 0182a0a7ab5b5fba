package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.ingest.EvidenceContent;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Adds evidence to a locked candidate, in the caller's transaction, and evaluates its gates. */
final class EvidenceRecorder {
    static final String ARTIFACT_DIGESTS = "artifact_digests";

    /** Content up to this size is stored in the row. */
    static final int MAX_INLINE_BYTES = 16 * 1024;

    private static final int MAX_ITEMS = 2_000;
    private static final int MAX_DIGESTS = 500;
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

    private final EvidenceStore store;
    private final EvidenceTypes types;
    private final ReleaseEvaluator evaluator;

    /** The principal or system that produced the evidence. */
    record Producer(@Nullable UUID id, String type) {}

    /**
     * Evidence to record.
     *
     * @param sourceSha null for the source revision of the candidate
     * @param fields includes those that the content determines
     */
    record EvidenceDraft(
            String type,
            String subject,
            @Nullable String result,
            @Nullable String sourceSha,
            ObjectNode fields,
            String format,
            @Nullable EvidenceContent content) {}

    /** The evidence, and the candidate with its new verdict. */
    record Recorded(ReleaseCandidate candidate, Evidence evidence) {}

    EvidenceRecorder(EvidenceStore store, EvidenceTypes types, ReleaseEvaluator evaluator) {
        this.store = store;
        this.types = types;
        this.evaluator = evaluator;
    }

    /** Fails with a problem if the draft does not match its type. Content above the inline limit must be in the object store already. */
    Future<Recorded> append(UnitOfWork unit, ReleaseCandidate candidate, EvidenceDraft draft, Producer producer) {
        return types.load(unit)
                .map(typeSet -> typeSet.requireActive(draft.type))
                .compose(type -> {
                    var result = requireValid(type, draft);
                    return store.count(unit, candidate.id())
                            .compose(count -> count >= MAX_ITEMS
                                    ? Future.failedFuture(tooMany())
                                    : findCurrent(unit, candidate, draft))
                            .compose(superseded -> {
                                var recorded = toEvidence(unit, candidate, type, draft, result, producer, superseded);
                                store.insert(unit, recorded, inlineContent(draft));
                                return evaluator.evaluate(unit, candidate).map(evaluation -> {
                                    ReleaseEvents.publishRecorded(unit, evaluation.candidate(), recorded);
                                    return new Recorded(evaluation.candidate(), recorded);
                                });
                            });
                });
    }

    /** Returns the id of the current evidence of the same type and subject, or null. */
    private Future<@Nullable UUID> findCurrent(UnitOfWork unit, ReleaseCandidate candidate, EvidenceDraft draft) {
        return store.listCurrent(unit, List.of(candidate.id())).map(current -> current.stream()
                .filter(item -> item.type().equals(draft.type) && item.subject().equals(draft.subject))
                .map(Evidence::id)
                .findFirst()
                .orElse(null));
    }

    private static Evidence toEvidence(
            UnitOfWork unit,
            ReleaseCandidate candidate,
            EvidenceType type,
            EvidenceDraft draft,
            String result,
            Producer producer,
            @Nullable UUID superseded) {
        var sourceSha = Objects.requireNonNullElse(
                draft.sourceSha, candidate.attributes().sourceSha());
        var content = draft.content;
        var contentDigest = content == null ? null : content.digest();
        return new Evidence(
                Ids.next(),
                candidate.id(),
                candidate.revision() + 1,
                type.id(),
                type.version(),
                type.owner(),
                draft.subject,
                result,
                sourceSha,
                draft.fields,
                draft.format,
                Evidence.digest(
                        type.id(),
                        type.version(),
                        draft.subject,
                        result,
                        sourceSha,
                        draft.fields,
                        draft.format,
                        contentDigest),
                contentDigest,
                content == null ? 0 : content.bytes().length,
                type.retentionClass(),
                type.releaseBlocking(),
                producer.id,
                producer.type,
                unit.context().correlationId(),
                superseded,
                unit.now(),
                null);
    }

    private static byte @Nullable [] inlineContent(EvidenceDraft draft) {
        var content = draft.content;
        return content == null || content.bytes().length > MAX_INLINE_BYTES ? null : content.bytes();
    }

    /** Returns the result. */
    private static String requireValid(EvidenceType type, EvidenceDraft draft) {
        Set<String> present = new HashSet<>();
        draft.fields.properties().forEach(field -> {
            if (!field.getValue().isNull()) {
                present.add(field.getKey());
            }
        });
        if (draft.sourceSha != null) {
            present.add("source_sha");
        }
        var faults = type.validate(draft.result, present);
        if (!faults.isEmpty()) {
            throw Problem.validationOf(
                            ErrorCode.EVIDENCE_INVALID,
                            faults.stream()
                                    .map(fault -> new FieldProblem(fault.field(), fault.problem()))
                                    .toList())
                    .asException();
        }
        if (type.id().equals(ARTIFACT_DIGESTS)) {
            requireDigests(draft.fields);
        }
        return Objects.requireNonNull(draft.result, "a result is required");
    }

    private static void requireDigests(ObjectNode fields) {
        var digests = fields.path("digests");
        var valid = digests.isArray() && digests.size() <= MAX_DIGESTS && !digests.isEmpty();
        for (var digest : digests) {
            valid = valid && DIGEST.matcher(digest.asText()).matches();
        }
        if (!valid) {
            throw Problem.validationOf(
                            ErrorCode.EVIDENCE_INVALID,
                            "/fields/digests",
                            "must be 1 to " + MAX_DIGESTS + " digests of the form sha256:<64 hexadecimal digits>")
                    .asException();
        }
    }

    private static RuntimeException tooMany() {
        return Problem.of(
                        ErrorCode.STATE_CONFLICT,
                        "The release candidate has " + MAX_ITEMS + " pieces of evidence. Create another candidate.")
                .asException();
    }
}
