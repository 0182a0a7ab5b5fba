package dev.slipway.metering.rating;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.domain.Freshness;
import dev.slipway.metering.rating.StatementStore.BilledFact;
import dev.slipway.metering.rating.StatementStore.ChargedLine;
import dev.slipway.metering.rating.StatementStore.StatementTotal;
import dev.slipway.metering.rating.domain.PriceBook;
import dev.slipway.metering.rating.domain.RatedLine;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Serves statements, and the facts of their lines. */
public final class StatementApi {
    private final StatementStore store;
    private final RatingInputStore inputs;
    private final AccountStore accounts;
    private final QueryExecutor reads;
    private final Function<UUID, Future<Freshness>> freshness;

    private record LineResponse(
            UUID lineId,
            @Nullable UUID payerProjectId,
            String unit,
            String usageMonth,
            @Nullable String quantity,
            String amount,
            @Nullable UUID priceId,
            @Nullable UUID projectId,
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            @Nullable UUID sourceProjectId,
            @Nullable String appSlug,
            @Nullable String resourceType,
            @Nullable String resourceId) {

        /** A reader of one project does not learn which other projects used or provided a shared runtime, nor what they used. */
        static LineResponse of(ChargedLine line, @Nullable UUID reader) {
            var group = line.group();
            var isOfOther = reader != null && group.projectId() != null && !reader.equals(group.projectId());
            return new LineResponse(
                    line.lineId(),
                    line.payerId(),
                    line.unit(),
                    YearMonth.from(line.usageMonth()).toString(),
                    isOfOther ? null : line.quantity().toPlainString(),
                    line.amount().toPlainString(),
                    line.priceId(),
                    visible(group.projectId(), reader),
                    isOfOther ? null : group.appInstanceId(),
                    group.sharedRuntimeId(),
                    visible(group.sourceProjectId(), reader),
                    group.appSlug(),
                    group.resourceType(),
                    isOfOther ? null : group.resourceId());
        }

        private static @Nullable UUID visible(@Nullable UUID projectId, @Nullable UUID reader) {
            return reader == null || reader.equals(projectId) ? projectId : null;
        }
    }

    private enum StatementStatus {
        DRAFT,
        FINAL
    }

    private record StatementResponse(
            UUID orgId,
            String period,
            StatementStatus status,
            String currency,
            String total,
            Instant asOf,
            boolean stale,
            List<LineResponse> items,
            @Nullable String nextCursor) {}

    private record FactResponse(
            String source,
            String factId,
            String quantity,
            Instant windowStart,
            Instant windowEnd,
            Instant receivedAt,
            @Nullable String correctsFactId,
            @Nullable String correlationId,
            @Nullable String traceId,
            @Nullable UUID auditEntryId) {
        static FactResponse of(BilledFact fact) {
            return new FactResponse(
                    fact.source(),
                    fact.factId(),
                    fact.quantity().toPlainString(),
                    fact.windowStart(),
                    fact.windowEnd(),
                    fact.receivedAt(),
                    fact.correctsFactId(),
                    fact.correlationId(),
                    fact.traceId(),
                    fact.auditEntryId());
        }
    }

    public StatementApi(
            StatementStore store,
            RatingInputStore inputs,
            AccountStore accounts,
            QueryExecutor reads,
            Function<UUID, Future<Freshness>> freshness) {
        this.store = store;
        this.inputs = inputs;
        this.accounts = accounts;
        this.reads = reads;
        this.freshness = freshness;
    }

    public Future<Reply> get(Request request) {
        return get(request, request.pathId("org_id"), null);
    }

    public Future<Reply> getOfProject(Request request) {
        return get(
                request, Objects.requireNonNull(request.orgId(), "a project has an organization"), request.projectId());
    }

    private Future<Reply> get(Request request, UUID orgId, @Nullable UUID payer) {
        var period = period(request);
        return store.findFinal(orgId, period, payer)
                .compose(found -> found != null ? Future.succeededFuture(found) : findDraft(orgId, period, payer))
                .compose(head -> respond(request, orgId, period, payer, head));
    }

    private Future<StatementTotal> findDraft(UUID orgId, LocalDate period, @Nullable UUID payer) {
        return accounts.findCurrency(reads, orgId).compose(currency -> store.sumDraft(orgId, period, payer)
                .map(total -> new StatementTotal(currency, total, null)));
    }

    private Future<Reply> respond(
            Request request, UUID orgId, LocalDate period, @Nullable UUID payer, StatementTotal head) {
        var cursor = request.cursor();
        var limit = request.limit();
        var finalizedAt = head.finalizedAt();
        return store.listLines(
                        finalizedAt != null, orgId, period, payer, cursor == null ? null : cursor.id(), limit + 1)
                .compose(found -> freshness.apply(orgId).map(fresh -> {
                    var page = Page.of(found, limit, line -> new Cursor(Instant.EPOCH, line.rowId()));
                    var next = page.next();
                    return Reply.ofRecord(new StatementResponse(
                            orgId,
                            YearMonth.from(period).toString(),
                            finalizedAt == null ? StatementStatus.DRAFT : StatementStatus.FINAL,
                            head.currency(),
                            head.total().toPlainString(),
                            finalizedAt == null ? fresh.asOf() : finalizedAt,
                            finalizedAt == null && fresh.stale(),
                            page.items().stream()
                                    .map(line -> LineResponse.of(line, payer))
                                    .toList(),
                            next == null ? null : next.encode()));
                }));
    }

    /** Lists the facts of a line that are booked in a period. */
    public Future<Reply> listFacts(Request request) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        var orgId = request.pathId("org_id");
        return store.findLine(orgId, request.pathId("line_id")).compose(line -> {
            if (line == null) {
                throw Problem.of(ErrorCode.NOT_FOUND, "This organization has no such line.")
                        .asException();
            }
            return accounts.findCurrency(reads, orgId)
                    .compose(currency -> inputs.load(reads, orgId, currency))
                    .compose(loaded -> listFacts(request, cursor, line, loaded));
        });
    }

    private Future<Reply> listFacts(Request request, @Nullable Cursor cursor, RatedLine line, RatingInputs loaded) {
        var limit = request.limit();
        // An instance whose price was fixed at launch has one price for all of its facts.
        var fixed = loaded.isFixedAtLaunch(line.key());
        var from = fixed ? PriceBook.BEGINNING : line.key().priceFrom();
        var until = fixed ? null : loaded.book(line.key().unit()).endOf(from);
        return store.listFacts(
                        line,
                        period(request),
                        from,
                        until,
                        cursor == null ? 0 : cursor.id().getLeastSignificantBits(),
                        limit + 1)
                .map(found -> Page.of(found, limit, fact -> new Cursor(fact.receivedAt(), new UUID(0, fact.factKey())))
                        .toReply(FactResponse::of));
    }

    static LocalDate period(Request request) {
        return YearMonth.parse(request.path("period")).atDay(1);
    }
}
