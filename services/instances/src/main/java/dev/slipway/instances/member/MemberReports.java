package dev.slipway.instances.member;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.lifecycle.OperationReports;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.Member.Observed;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.report.Report;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What adapters report of members, and of what was done with them. A report that is wrong in one point changes nothing. */
public final class MemberReports {
    private static final int MAX_DETAIL_BYTES = 16 * 1024;

    private final AppInstanceStore instances;
    private final MemberStore members;
    private final OperationStore operations;
    private final Members changes;

    public MemberReports(AppInstanceStore instances, MemberStore members, OperationStore operations, Members changes) {
        this.instances = instances;
        this.members = members;
        this.operations = operations;
        this.changes = changes;
    }

    /** States of members. */
    public Future<AppInstance> states(UnitOfWork unit, Report report) {
        if (report.outdated()) {
            return Future.succeededFuture(report.instance());
        }
        return members.all(unit, report.instance()).map(all -> {
            var known = byId(all);
            var next = new LinkedHashMap<>(known);
            for (var said : report.payload().path("members")) {
                var id = UUID.fromString(said.path("member_id").asText());
                var current = next.get(id);
                if (current == null) {
                    throw MemberStore.notFound(id);
                }
                next.put(id, reported(current, said, unit.now()));
            }
            return kept(unit, report, known, next, taken(unit, report));
        });
    }

    /** The end of an operation on a member. */
    public Future<AppInstance> ended(UnitOfWork unit, Report report) {
        var operation = Objects.requireNonNull(report.operation());
        if (report.outdated() || operation.status().ended()) {
            return Future.succeededFuture(report.instance());
        }
        var decided = OperationReports.decide(operation, report.payload(), unit.now());
        var changed = operations.apply(unit, report.instance(), operation, decided);
        return changes.settle(unit, changed.instance(), changed.operation()).map(after -> {
            instances.keep(unit, after);
            return after;
        });
    }

    /** Whatever an adapter says of a command, it has it. */
    private AppInstance taken(UnitOfWork unit, Report report) {
        var operation = report.operation();
        return operation == null
                ? report.instance()
                : operations
                        .apply(
                                unit,
                                report.instance(),
                                operation,
                                OperationLifecycle.reportTaken(operation, unit.now()))
                        .instance();
    }

    private AppInstance kept(
            UnitOfWork unit, Report report, Map<UUID, Member> known, Map<UUID, Member> next, AppInstance instance) {
        var operation = report.operation();
        var after = instance;
        for (var member : next.values()) {
            var before = Objects.requireNonNull(known.get(member.id()));
            after = members.change(unit, after, before, member, operation == null ? null : operation.id());
        }
        if (!after.equals(report.instance())) {
            instances.keep(unit, after);
        }
        return after;
    }

    private static Member reported(Member current, JsonNode said, Instant now) {
        var decision = MemberLifecycle.report(
                current,
                said.path("generation").asInt(),
                Observed.of(said.path("state").asText()),
                said.path("component_key").textValue(),
                detail(current, said.path("adapter_detail")),
                said.path("reason").textValue(),
                now);
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        return ((Accepted) decision).next();
    }

    /** Null where it is as it was: the database writes the same JSON in its own way. */
    private static @Nullable String detail(Member current, JsonNode given) {
        if (!given.isObject() || Json.trusted(current.adapterDetail()).equals(given)) {
            return null;
        }
        var text = Json.text(given);
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_DETAIL_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "adapter_detail", "is larger than 16 KiB")
                    .asException();
        }
        return text;
    }

    private static Map<UUID, Member> byId(List<Member> members) {
        return members.stream()
                .collect(Collectors.toMap(Member::id, Function.identity(), (a, b) -> a, LinkedHashMap::new));
    }
}
