package dev.slipway.metering.rating;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.domain.Charge;
import dev.slipway.metering.rating.domain.CostSplit;
import dev.slipway.metering.rating.domain.RatedLine;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.metering.rating.domain.SplitMethod;
import dev.slipway.metering.rating.domain.SplitPolicy;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Serves the cost-split policies of shared runtimes: versions and simulations. */
public final class CostSplitApi {
    private static final String ACTION = "billing.split.write";

    private final RatingInputStore inputs;
    private final RatingStore ratings;
    private final RatingQueueStore queue;
    private final AccountStore accounts;
    private final QueryExecutor reads;
    private final Mutations mutations;
    private final Runnable wakeRater;
    private final Function<UUID, @Nullable UUID> orgOfProject;

    private record PolicyBody(
            String method,
            @Nullable String appliesTo,
            @Nullable String weightUnit,
            @Nullable Map<String, String> shares,
            @Nullable String validFrom,
            @Nullable String period) {

        SplitPolicy toPolicy(int version, LocalDate from, Instant now) {
            var weights = new HashMap<UUID, BigDecimal>();
            Objects.requireNonNullElse(shares, Map.<String, String>of())
                    .forEach((project, weight) -> weights.put(UUID.fromString(project), new BigDecimal(weight)));
            return new SplitPolicy(
                    Ids.next(),
                    version,
                    TextEnum.parse(SplitMethod.class, method),
                    "all".equals(appliesTo),
                    weightUnit,
                    weights,
                    from,
                    now);
        }
    }

    private record PolicyResponse(
            UUID id,
            UUID sharedRuntimeId,
            int version,
            String method,
            String appliesTo,
            @Nullable String weightUnit,
            Map<String, String> shares,
            String validFrom,
            Instant createdAt) {
        static PolicyResponse of(UUID sharedRuntimeId, SplitPolicy policy) {
            return new PolicyResponse(
                    policy.id(),
                    sharedRuntimeId,
                    policy.version(),
                    policy.method().text(),
                    policy.allLines() ? "all" : "common",
                    policy.weightUnit(),
                    RatingInputStore.sharesJson(policy),
                    YearMonth.from(policy.validFrom()).toString(),
                    policy.createdAt());
        }
    }

    private record PolicyEvent(
            UUID orgId, UUID sharedRuntimeId, UUID policyId, int version, String method, String validFrom) {}

    private record SimulatedCharge(@Nullable UUID payerProjectId, String current, String simulated) {}

    private record Simulation(String currency, String period, String total, List<SimulatedCharge> items) {}

    public CostSplitApi(
            RatingInputStore inputs,
            RatingStore ratings,
            RatingQueueStore queue,
            AccountStore accounts,
            QueryExecutor reads,
            Mutations mutations,
            Runnable wakeRater,
            Function<UUID, @Nullable UUID> orgOfProject) {
        this.inputs = inputs;
        this.ratings = ratings;
        this.queue = queue;
        this.accounts = accounts;
        this.reads = reads;
        this.mutations = mutations;
        this.wakeRater = wakeRater;
        this.orgOfProject = orgOfProject;
    }

    public Future<Reply> list(Request request) {
        var orgId = request.pathId("org_id");
        var runtime = request.pathId("shared_runtime_id");
        return inputs.hasRuntime(reads, orgId, runtime)
                .map(CostSplitApi::requireFound)
                .compose(ok -> inputs.listPolicies(reads, orgId, runtime))
                .map(found -> ItemList.reply(found, policy -> PolicyResponse.of(runtime, policy)));
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = readBody(request, orgId);
        var runtime = request.pathId("shared_runtime_id");
        var from = month(Objects.requireNonNull(body.validFrom));
        return mutations
                .run(request, unit -> requireRuntime(unit, orgId, runtime)
                        .compose(ok -> PriceApi.requireOpen(
                                unit, from.atStartOfDay(ZoneOffset.UTC).toInstant()))
                        .compose(ok -> inputs.listPolicies(unit, orgId, runtime))
                        .map(versions -> insert(
                                unit,
                                request,
                                body.toPolicy(
                                        versions.isEmpty() ? 1 : versions.get(0).version() + 1, from, unit.now()))))
                .onSuccess(reply -> wakeRater.run());
    }

    private Reply insert(UnitOfWork unit, Request request, SplitPolicy policy) {
        var orgId = request.pathId("org_id");
        var runtime = request.pathId("shared_runtime_id");
        inputs.insertPolicy(unit, orgId, runtime, policy, request.principal().id());
        queue.lock(unit);
        queue.queueRuntime(unit, orgId, runtime, policy.validFrom());
        unit.publish(
                Topics.BILLING_EVENTS,
                orgId.toString(),
                "billing.cost_split_policy.created",
                Json.toObject(new PolicyEvent(
                        orgId,
                        runtime,
                        policy.id(),
                        policy.version(),
                        policy.method().text(),
                        policy.validFrom().toString())));
        var response = Json.toObject(PolicyResponse.of(runtime, policy));
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(ACTION, "cost_split_policy", policy.id().toString(), orgId, null, response));
        return Reply.of(response);
    }

    /** Divides the usage of a month by a policy that does not exist. Changes nothing. */
    public Future<Reply> simulate(Request request) {
        var orgId = request.pathId("org_id");
        var body = readBody(request, orgId);
        var runtime = request.pathId("shared_runtime_id");
        var month = month(Objects.requireNonNull(body.period));
        return inputs.hasRuntime(reads, orgId, runtime)
                .map(CostSplitApi::requireFound)
                .compose(ok -> accounts.findCurrency(reads, orgId))
                .compose(currency -> ratings.findRuntimeLines(reads, orgId, List.of(runtime), List.of(month))
                        .compose(lines -> inputs.load(reads, orgId, currency)
                                .map(loaded -> Reply.ofRecord(simulate(
                                        loaded, runtime, month, lines, body.toPolicy(1, month, Instant.EPOCH))))));
    }

    private static Simulation simulate(
            RatingInputs loaded, UUID runtime, LocalDate month, List<RatedLine> lines, SplitPolicy policy) {
        var current = byPayer(loaded.divide(runtime, month, lines));
        var simulated = byPayer(CostSplit.divide(lines, policy, loaded.attached(runtime, month), loaded.digits()));
        var payers = new HashSet<@Nullable UUID>(current.keySet());
        payers.addAll(simulated.keySet());
        var zero = BigDecimal.ZERO.setScale(loaded.digits());
        var items = new ArrayList<SimulatedCharge>();
        payers.stream()
                .sorted(Comparator.nullsFirst(Comparator.naturalOrder()))
                .forEach(payer -> items.add(new SimulatedCharge(
                        payer,
                        current.getOrDefault(payer, zero).toPlainString(),
                        simulated.getOrDefault(payer, zero).toPlainString())));
        var total = lines.stream().map(RatedLine::amount).reduce(zero, BigDecimal::add);
        return new Simulation(loaded.currency(), YearMonth.from(month).toString(), total.toPlainString(), items);
    }

    private static Map<@Nullable UUID, BigDecimal> byPayer(Collection<Charge> charges) {
        var sums = new HashMap<@Nullable UUID, BigDecimal>();
        charges.forEach(charge -> sums.merge(charge.key().payer(), charge.amount(), BigDecimal::add));
        return sums;
    }

    private Future<Void> requireRuntime(UnitOfWork unit, UUID orgId, UUID runtime) {
        return inputs.lockRuntime(unit, orgId, runtime).map(CostSplitApi::requireFound);
    }

    private static @Nullable Void requireFound(boolean found) {
        if (!found) {
            throw Problem.of(ErrorCode.SHARED_RUNTIME_NOT_FOUND, "This organization has no such shared runtime.")
                    .asException();
        }
        return null;
    }

    private PolicyBody readBody(Request request, UUID orgId) {
        var body = Json.toRecord(request.body(), PolicyBody.class);
        var method = TextEnum.parse(SplitMethod.class, body.method);
        if (method.needsWeightUnit() != (body.weightUnit != null)) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/weight_unit",
                            "is required for by_usage and by_contributed_capacity, and only then")
                    .asException();
        }
        var shares = Objects.requireNonNullElse(body.shares, Map.<String, String>of());
        if ((method == SplitMethod.FIXED_SHARES) == shares.isEmpty()
                || shares.values().stream().anyMatch(weight -> new BigDecimal(weight).signum() <= 0)) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            "/shares",
                            "needs positive weights for fixed_shares, and only then")
                    .asException();
        }
        for (var project : shares.keySet()) {
            if (!orgId.equals(orgOfProject.apply(UUID.fromString(project)))) {
                throw Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR,
                                "/shares/" + project,
                                "is not a project of this organization")
                        .asException();
            }
        }
        return body;
    }

    private static LocalDate month(String text) {
        return YearMonth.parse(text).atDay(1);
    }
}
