package dev.slipway.metering.rating;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.PriceStore.TierJson;
import dev.slipway.metering.rating.domain.PriceScope;
import dev.slipway.metering.rating.domain.PriceTier;
import dev.slipway.metering.rating.domain.PriceVersion;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;

/** Creates and lists prices. */
public final class PriceApi {
    private static final String ACTION = "billing.price.write";

    private final PriceStore store;
    private final RatingQueueStore queue;
    private final RatingInputStore inputs;
    private final AccountStore accounts;
    private final QueryExecutor reads;
    private final Mutations mutations;
    private final Runnable wakeRater;
    private final Clock clock;
    private final Predicate<UUID> hasOrganization;

    private record CreateBody(
            String unit,
            String currency,
            @Nullable String scope,
            @Nullable String subject,
            @Nullable String included,
            List<TierJson> tiers,
            @Nullable Boolean snapshotAtLaunch,
            Instant validFrom) {
        PriceScope priceScope() {
            return scope == null ? PriceScope.DEFAULT : TextEnum.parse(PriceScope.class, scope);
        }
    }

    private record PriceResponse(
            UUID id,
            String unit,
            String ratingCategory,
            String scope,
            @Nullable String subject,
            int version,
            String currency,
            String included,
            List<TierJson> tiers,
            boolean snapshotAtLaunch,
            Instant validFrom,
            Instant createdAt) {
        static PriceResponse of(PriceVersion price) {
            return new PriceResponse(
                    price.id(),
                    price.unit(),
                    price.ratingCategory(),
                    price.scope().text(),
                    price.subject().isEmpty() ? null : price.subject(),
                    price.version(),
                    price.currency(),
                    price.included().toPlainString(),
                    price.tiers().stream().map(TierJson::of).toList(),
                    price.snapshotAtLaunch(),
                    price.validFrom(),
                    price.createdAt());
        }
    }

    private record PriceSnapshot(
            UUID priceId,
            String unit,
            String scope,
            String subject,
            int version,
            String currency,
            String included,
            List<TierJson> tiers,
            boolean snapshotAtLaunch,
            Instant validFrom) {}

    private record PriceEvent(
            UUID priceId, String unit, String scope, String subject, int version, String currency, Instant validFrom) {}

    public PriceApi(
            PriceStore store,
            RatingQueueStore queue,
            RatingInputStore inputs,
            AccountStore accounts,
            QueryExecutor reads,
            Mutations mutations,
            Runnable wakeRater,
            Clock clock,
            Predicate<UUID> hasOrganization) {
        this.store = store;
        this.queue = queue;
        this.inputs = inputs;
        this.accounts = accounts;
        this.reads = reads;
        this.mutations = mutations;
        this.wakeRater = wakeRater;
        this.clock = clock;
        this.hasOrganization = hasOrganization;
    }

    public Future<Reply> list(Request request) {
        var cursor = request.cursor();
        var limit = request.limit();
        return store.list(request.query("unit"), cursor == null ? null : cursor.id(), limit + 1)
                .map(found -> Page.of(found, limit, price -> new Cursor(price.createdAt(), price.id()))
                        .toReply(PriceResponse::of));
    }

    /** Lists the prices that apply to an organization now. */
    public Future<Reply> listOfOrganization(Request request) {
        var orgId = request.pathId("org_id");
        var now = clock.instant();
        return accounts.findCurrency(reads, orgId)
                .compose(currency -> store.findApplicable(orgId, currency, now)
                        .compose(prices -> inputs.loadAsOf(reads, orgId, currency, now)
                                .map(loaded -> prices.stream()
                                        .map(PriceVersion::unit)
                                        .distinct()
                                        .sorted()
                                        .map(unit -> loaded.book(unit).at(now).price())
                                        .filter(Objects::nonNull)
                                        .toList())))
                .map(prices -> ItemList.reply(prices, PriceResponse::of));
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class);
        requireValid(body);
        var subject = readSubject(body);
        return mutations
                .run(request, unit -> requireOpen(unit, body.validFrom)
                        .compose(ok -> store.findRatingCategory(unit, body.unit))
                        .map(PriceApi::requireUnit)
                        .compose(category -> store.findLatestVersion(
                                        unit, body.unit, body.currency, body.priceScope(), subject)
                                .map(latest -> insert(
                                        unit, request, toPrice(body, category, subject, latest + 1, unit.now())))))
                .onSuccess(reply -> wakeRater.run());
    }

    private Reply insert(UnitOfWork unit, Request request, PriceVersion price) {
        store.insert(unit, price, request.principal().id());
        queue.lock(unit);
        queue.queuePrice(
                unit,
                price.unit(),
                LocalDate.ofInstant(price.validFrom(), ZoneOffset.UTC).withDayOfMonth(1));
        publishSnapshot(unit, price);
        unit.publish(
                Topics.BILLING_EVENTS,
                price.id().toString(),
                "billing.price.created",
                Json.toObject(new PriceEvent(
                        price.id(),
                        price.unit(),
                        price.scope().text(),
                        price.subject(),
                        price.version(),
                        price.currency(),
                        price.validFrom())));
        var response = Json.toObject(PriceResponse.of(price));
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(ACTION, "price", price.id().toString(), null, null, response));
        return Reply.of(response);
    }

    /** Publishes a version for the services that estimate cost. */
    public static void publishSnapshot(UnitOfWork unit, PriceVersion price) {
        var snapshot = new PriceSnapshot(
                price.id(),
                price.unit(),
                price.scope().text(),
                price.subject(),
                price.version(),
                price.currency(),
                price.included().toPlainString(),
                price.tiers().stream().map(TierJson::of).toList(),
                price.snapshotAtLaunch(),
                price.validFrom());
        unit.publish(Topics.BILLING_STATE, "price:" + price.id(), "billing.price.snapshot", Json.toObject(snapshot));
    }

    private static PriceVersion toPrice(
            CreateBody body, String ratingCategory, String subject, int version, Instant now) {
        return new PriceVersion(
                Ids.next(),
                body.unit,
                ratingCategory,
                body.priceScope(),
                subject,
                version,
                body.currency,
                new BigDecimal(Objects.requireNonNullElse(body.included, "0")),
                body.tiers.stream().map(TierJson::toTier).toList(),
                Boolean.TRUE.equals(body.snapshotAtLaunch),
                body.validFrom,
                now);
    }

    private static String requireUnit(@Nullable String ratingCategory) {
        if (ratingCategory == null) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/unit", "is not a registered usage unit")
                    .asException();
        }
        return ratingCategory;
    }

    /** Returns the subject as it is compared: the id of an organization has one form only. */
    private String readSubject(CreateBody body) {
        if (body.subject == null) {
            return "";
        }
        if (body.priceScope() != PriceScope.ORGANIZATION) {
            return body.subject;
        }
        UUID orgId = null;
        try {
            orgId = UUID.fromString(body.subject);
        } catch (IllegalArgumentException e) {
            // As an unknown organization.
        }
        if (orgId == null || !hasOrganization.test(orgId)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/subject", "is not the id of an organization")
                    .asException();
        }
        return orgId.toString();
    }

    /** Rejects a time in a closed period, and keeps open periods open until the end of the transaction. */
    static Future<Void> requireOpen(UnitOfWork unit, Instant from) {
        var month = LocalDate.ofInstant(from, ZoneOffset.UTC).withDayOfMonth(1);
        return PriceStore.lockPeriods(unit, month).map(closed -> {
            if (closed != null) {
                throw Problem.of(
                                ErrorCode.PERIOD_CLOSED,
                                "valid_from lies in a closed period. Use a time from " + closed.plusMonths(1) + " on.")
                        .asException();
            }
            return null;
        });
    }

    private static void requireValid(CreateBody body) {
        var problems = new ArrayList<FieldProblem>();
        if (Currency.getAvailableCurrencies().stream()
                .noneMatch(currency -> currency.getCurrencyCode().equals(body.currency))) {
            problems.add(new FieldProblem("/currency", "is not an ISO 4217 code"));
        }
        if ((body.subject == null) != (body.priceScope() == PriceScope.DEFAULT)) {
            problems.add(new FieldProblem("/subject", "is required for a plan or organization, and only then"));
        }
        if (body.included != null && new BigDecimal(body.included).signum() < 0) {
            problems.add(new FieldProblem("/included", "must not be negative"));
        }
        addTierProblems(body.tiers.stream().map(TierJson::toTier).toList(), problems);
        if (!problems.isEmpty()) {
            throw Problem.validation(problems).asException();
        }
    }

    private static void addTierProblems(List<PriceTier> tiers, List<FieldProblem> problems) {
        var previous = BigDecimal.ZERO;
        for (var i = 0; i < tiers.size(); i++) {
            var upTo = tiers.get(i).upTo();
            if ((upTo == null) != (i == tiers.size() - 1)) {
                problems.add(
                        new FieldProblem("/tiers/" + i + "/up_to", "must be null in the last tier, and only there"));
            } else if (upTo != null && upTo.compareTo(previous) <= 0) {
                problems.add(new FieldProblem("/tiers/" + i + "/up_to", "must be greater than in the tier before"));
            }
            if (tiers.get(i).unitPrice().signum() < 0) {
                problems.add(new FieldProblem("/tiers/" + i + "/unit_price", "must not be negative"));
            }
            previous = upTo == null ? previous : upTo;
        }
    }
}
