package dev.slipway.instances.member;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.lifecycle.Deadlines;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberDecision;
import dev.slipway.instances.member.domain.MemberDecision.Accepted;
import dev.slipway.instances.member.domain.MemberDecision.Refused;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Has something done with members: decided, told to the adapter, and followed as an operation of the instance. */
public final class MemberOperations {
    static final String ACTION = "apps.instance.member.operate";

    private final AppInstanceStore instances;
    private final MemberStore members;
    private final OperationStore operations;
    private final CommandStore commands;
    private final ManifestStore manifests;

    public MemberOperations(
            AppInstanceStore instances,
            MemberStore members,
            OperationStore operations,
            CommandStore commands,
            ManifestStore manifests) {
        this.instances = instances;
        this.members = members;
        this.operations = operations;
        this.commands = commands;
        this.manifests = manifests;
    }

    /** What a caller wants: of a member, or, to add one, of a component. */
    record Asked(MemberOperation operation, @Nullable UUID memberId, String component, Map<String, String> labels) {}

    /** What is to be done: {@code before} is null for one that is added. */
    private record Decided(
            @Nullable Member before,
            Member member,
            @Nullable Member replacement) {}

    Future<Operation> ask(UnitOfWork unit, UUID projectId, UUID instanceId, Asked asked, Principal by) {
        return instances.lock(unit, projectId, instanceId).compose(instance -> {
            if (instance.status() != Status.RUNNING) {
                return Future.failedFuture(Problem.of(
                                ErrorCode.INSTANCE_STATE_CONFLICT,
                                "Members are operated on while the instance is running; it is "
                                        + instance.status().text() + ".")
                        .asException());
            }
            var all = members.all(unit, instance);
            var manifest = manifests.of(unit, instance.app().versionId());
            return Future.all(all, manifest)
                    .compose(both -> open(unit, instance, asked, all.result(), manifest.result(), by));
        });
    }

    private Future<Operation> open(
            UnitOfWork unit, AppInstance instance, Asked asked, List<Member> all, ObjectNode manifest, Principal by) {
        var decided = decide(unit, instance, asked, all, MemberJson.components(manifest));
        var id = Ids.next();
        var deadline = unit.now().plus(Deadlines.member(manifest));
        var command = command(instance, asked, decided)
                .put("operation_id", id.toString())
                .put("deadline_at", deadline.toString());
        var opened = new NewOperation(
                id,
                Kind.MEMBER,
                asked.operation.text(),
                ACTION,
                by.responsibleUserId(),
                by.id(),
                deadline,
                commands.send(unit, "runtime.command.member", command),
                Json.text(input(asked, decided)),
                decided.member.id(),
                null,
                null);
        return operations.open(unit, instance, opened).map(changed -> {
            var after = changed.instance();
            var before = decided.before;
            after = before == null
                    ? members.add(unit, after, decided.member, id)
                    : members.change(unit, after, before, decided.member, id);
            if (decided.replacement != null) {
                after = members.add(unit, after, decided.replacement, id);
            }
            instances.keep(unit, after);
            return changed.operation();
        });
    }

    private Decided decide(
            UnitOfWork unit, AppInstance instance, Asked asked, List<Member> all, List<Component> components) {
        if (asked.memberId == null) {
            var component = component(components, asked.component);
            var issued = members.fresh(unit, instance, component.key(), asked.labels);
            return new Decided(null, accepted(MemberLifecycle.add(component, all, issued)), null);
        }
        var member = all.stream()
                .filter(each -> each.id().equals(asked.memberId))
                .findFirst()
                .orElseThrow(() -> MemberStore.notFound(asked.memberId));
        var component = component(components, member.component());
        var next = accepted(MemberLifecycle.operate(asked.operation, component, all, member, unit.now()));
        var replacement = asked.operation == MemberOperation.REPLACE
                ? members.fresh(unit, instance, component.key(), member.labels())
                : null;
        return new Decided(member, next, replacement);
    }

    private static Component component(List<Component> components, String key) {
        return components.stream()
                .filter(component -> component.key().equals(key))
                .findFirst()
                .orElseThrow(() -> Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR,
                                "/component",
                                "is not a component of the version that the instance runs")
                        .asException());
    }

    private static Member accepted(MemberDecision decision) {
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        return ((Accepted) decision).next();
    }

    private static ObjectNode command(AppInstance instance, Asked asked, Decided decided) {
        var node = AppInstanceJson.command(instance);
        node.put("operation", asked.operation.text());
        node.set("member", MemberJson.commanded(decided.member));
        if (decided.replacement != null) {
            node.set("replacement", MemberJson.commanded(decided.replacement));
        }
        if (asked.operation == MemberOperation.LABEL) {
            node.set("labels", MemberJson.labels(asked.labels));
        }
        return node;
    }

    /** What is needed again when it has ended. */
    private static ObjectNode input(Asked asked, Decided decided) {
        var node = Json.object();
        node.put("member_id", decided.member.id().toString());
        node.put("component", decided.member.component());
        if (decided.replacement != null) {
            node.put("replacement_id", decided.replacement.id().toString());
        }
        if (!asked.labels.isEmpty()) {
            node.set("labels", MemberJson.labels(asked.labels));
        }
        return node;
    }
}
