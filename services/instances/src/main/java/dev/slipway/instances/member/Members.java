package dev.slipway.instances.member;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.lifecycle.MemberIssue;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** What happens to members when something happens to their instance. */
public final class Members implements MemberIssue {
    private final MemberStore store;

    public Members(MemberStore store) {
        this.store = store;
    }

    @Override
    public void requireFit(JsonNode manifest, Map<String, Integer> counts) {
        var components =
                MemberJson.components(manifest).stream().collect(Collectors.toMap(Component::key, each -> each));
        counts.forEach((key, count) -> {
            var component = components.get(key);
            if (component == null) {
                throw Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR, "/components/" + key, "is not a component of this version")
                        .asException();
            }
            if (count < component.min() || count > component.max()) {
                throw Problem.of(
                                ErrorCode.COMPONENT_BOUNDS,
                                "The component " + key + " has " + component.min() + " to " + component.max()
                                        + " members, not " + count + ".")
                        .asException();
            }
        });
    }

    /**
     * The members of an instance that is to run a version: those it has, and of every component as many more as its manifest says there
     * are at first, or at least.
     */
    @Override
    public Future<Issued> issue(UnitOfWork unit, AppInstance instance, JsonNode manifest, Map<String, Integer> counts) {
        var there = instance.status() == Status.REQUESTED
                ? Future.succeededFuture(List.<Member>of()) // not even its row is there
                : store.all(unit, instance);
        return there.map(all -> {
            var members = new ArrayList<>(all.stream().filter(Member::counts).toList());
            var missing = new ArrayList<Member>();
            for (var component : MemberJson.components(manifest)) {
                var count = count(members, component);
                for (var i = count;
                        i < (count == 0 ? counts.getOrDefault(component.key(), component.initial()) : component.min());
                        i++) {
                    missing.add(store.fresh(unit, instance, component.key(), Map.of()));
                }
            }
            store.insert(unit, instance, missing, Map.of());
            members.addAll(missing);
            return new Issued(instance, MemberJson.commanded(members));
        });
    }

    /** However it ended: by a report, by its deadline, or called off before an adapter heard of it. */
    @Override
    public Future<AppInstance> settle(UnitOfWork unit, AppInstance instance, Operation ended) {
        return store.all(unit, instance).map(all -> {
            var after = instance;
            for (var member : all) {
                after = store.change(unit, after, member, after(ended, member, unit.now()), ended.id());
            }
            return after;
        });
    }

    private static Member after(Operation ended, Member member, Instant now) {
        var input = Json.trusted(Objects.requireNonNullElse(ended.input(), "{}"));
        var operation = MemberOperation.of(ended.name());
        var reason = Objects.requireNonNullElse(ended.reason(), "The operation was not done.");
        var done = ended.status() == Operation.Status.SUCCEEDED;
        if (member.id().equals(ended.memberId())) {
            return done
                    ? MemberLifecycle.succeeded(operation, member, MemberJson.labels(input.path("labels")), now)
                    : MemberLifecycle.failed(operation, member, reason, now);
        }
        if (member.id().toString().equals(input.path("replacement_id").asText())) {
            return done ? MemberLifecycle.joined(member, now) : MemberLifecycle.notJoined(member, reason, now);
        }
        return member;
    }

    private static long count(List<Member> members, Component component) {
        return members.stream()
                .filter(member -> member.component().equals(component.key()))
                .count();
    }
}
