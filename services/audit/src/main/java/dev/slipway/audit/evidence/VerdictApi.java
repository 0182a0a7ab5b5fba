package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceStore.EvidenceRow;
import dev.slipway.audit.evidence.ReleaseJson.ProductSecurity;
import dev.slipway.audit.evidence.ReleaseJson.RecomputationResponse;
import dev.slipway.audit.evidence.ReleaseJson.SecurityResponse;
import dev.slipway.audit.evidence.ReleaseJson.SecuritySummary;
import dev.slipway.audit.evidence.ReleaseJson.VerdictResponse;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.VerdictDocument.EvidenceReference;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateFinding;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Serves stored verdicts: their history, their recomputation, and the security evidence of all products. */
public final class VerdictApi {
    private static final int MAX_PRODUCTS = 500;

    private final ReleaseStore releases;
    private final EvidenceStore evidence;
    private final EvidenceContents contents;

    VerdictApi(ReleaseStore releases, EvidenceStore evidence, EvidenceContents contents) {
        this.releases = releases;
        this.evidence = evidence;
        this.contents = contents;
    }

    public Future<Reply> list(Request request) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        var limit = request.limit();
        return releases.find(request.pathId("release_id"), request.projectIdOrNull())
                .compose(candidate -> releases.listVerdicts(candidate.id(), cursor, limit + 1))
                .map(found -> Page.of(found, limit, verdict -> new Cursor(verdict.evaluatedAt(), verdict.id()))
                        .toReply(VerdictResponse::of));
    }

    /** Evaluates the gate again from the stored arguments and the evidence as it is stored now. */
    public Future<Reply> recompute(Request request) {
        return releases.find(request.pathId("release_id"), request.projectIdOrNull())
                .compose(candidate -> releases.findVerdict(candidate.id(), request.pathId("verdict_id")))
                .compose(stored -> {
                    if (stored == null) {
                        return Future.succeededFuture(Reply.of(Problem.of(ErrorCode.NOT_FOUND, "Not found.")));
                    }
                    var document = VerdictDocument.parse(stored.document());
                    var ids = document.evidence().stream()
                            .map(EvidenceReference::evidenceId)
                            .toList();
                    var carryOver = document.arguments().carryOver();
                    var releaseIds = carryOver == null
                            ? List.of(stored.releaseId())
                            : List.of(stored.releaseId(), carryOver.validatedReleaseId());
                    return evidence.findAll(releaseIds, ids).compose(rows -> findDifferences(document, rows)
                            .map(differences -> Reply.ofRecord(recompute(stored, document, rows, differences))));
                });
    }

    private static RecomputationResponse recompute(
            StoredVerdict stored, VerdictDocument document, List<EvidenceRow> rows, List<String> differences) {
        var recomputed = document.recompute(rows.stream()
                .map(row -> row.evidence().toItem(stored.releaseId()))
                .toList());
        var all = new ArrayList<>(differences);
        if (!document.digest().equals(stored.digest())) {
            all.add("The stored verdict does not match its digest.");
        }
        if (recomputed.verdict() != stored.verdict()) {
            all.add("The verdict is " + recomputed.verdict().text() + ", not "
                    + stored.verdict().text() + ".");
        }
        if (!recomputed.items().equals(document.items())) {
            all.add("The explanation of the items differs.");
        }
        return new RecomputationResponse(
                stored.id(),
                stored.gate(),
                all.isEmpty() && recomputed.digest().equals(stored.digest()),
                stored.verdict(),
                recomputed.verdict(),
                stored.digest(),
                recomputed.digest(),
                all);
    }

    /** Compares the stored evidence and its content with the digests of the verdict. */
    private Future<List<String>> findDifferences(VerdictDocument document, List<EvidenceRow> rows) {
        Map<UUID, EvidenceRow> byId =
                rows.stream().collect(Collectors.toMap(row -> row.evidence().id(), Function.identity()));
        var differences = new ArrayList<String>();
        var chain = Future.<Void>succeededFuture();
        for (var reference : document.evidence()) {
            var row = byId.get(reference.evidenceId());
            if (row == null) {
                differences.add("Evidence " + reference.evidenceId() + " is missing.");
            } else if (!row.evidence().matchesDigest()
                    || !row.evidence().digest().equals(reference.digest())) {
                differences.add("Evidence " + reference.evidenceId() + " was changed.");
            } else {
                chain = chain.compose(ok -> contents.verify(row)).map(intact -> {
                    if (!intact) {
                        differences.add(
                                "The content of evidence " + reference.evidenceId() + " is missing or changed.");
                    }
                    return null;
                });
            }
        }
        return chain.map(ok -> differences);
    }

    /** Returns controls, gaps, scans and residual risks of each product's newest candidate. */
    public Future<Reply> security(Request request) {
        return releases.listLatestPerProduct(request.query("product"), MAX_PRODUCTS)
                .compose(candidates -> {
                    var ids = candidates.stream().map(ReleaseCandidate::id).toList();
                    return releases.listCurrentVerdicts(ids, Gate.SECURITY_EVIDENCE)
                            .compose(verdicts -> evidence.listCurrent(evidence.reads(), ids)
                                    .map(current -> Reply.ofRecord(security(candidates, verdicts, current))));
                });
    }

    private static SecurityResponse security(
            List<ReleaseCandidate> candidates, List<StoredVerdict> verdicts, List<Evidence> current) {
        var products = new ArrayList<ProductSecurity>();
        for (var candidate : candidates) {
            verdicts.stream()
                    .filter(verdict -> verdict.releaseId().equals(candidate.id()))
                    .forEach(verdict -> products.add(toProduct(candidate, verdict, current)));
        }
        return new SecurityResponse(
                products,
                new SecuritySummary(
                        products.size(),
                        count(products, GateVerdict.PASS),
                        count(products, GateVerdict.WAIVED),
                        count(products, GateVerdict.BLOCKED),
                        products.stream()
                                .mapToInt(product -> product.gaps().size())
                                .sum()));
    }

    private static ProductSecurity toProduct(
            ReleaseCandidate candidate, StoredVerdict verdict, List<Evidence> current) {
        var controls = VerdictDocument.parse(verdict.document()).items();
        return new ProductSecurity(
                candidate.attributes().product(),
                candidate.id(),
                candidate.attributes().version(),
                verdict.verdict(),
                controls,
                controls.stream().filter(GateFinding::blocks).toList(),
                ofType(current, candidate, "security_scan"),
                ofType(current, candidate, "residual_risk"));
    }

    private static List<Evidence> ofType(List<Evidence> current, ReleaseCandidate candidate, String type) {
        return current.stream()
                .filter(item ->
                        item.releaseId().equals(candidate.id()) && item.type().equals(type))
                .toList();
    }

    private static int count(List<ProductSecurity> products, GateVerdict verdict) {
        return (int) products.stream()
                .filter(product -> product.verdict() == verdict)
                .count();
    }
}
