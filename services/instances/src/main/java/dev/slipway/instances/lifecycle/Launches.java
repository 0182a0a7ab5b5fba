package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.ResourceName;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Admitted;
import dev.slipway.instances.appinstance.AdmissionStore.Purpose;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.lifecycle.Manifests.Known;
import dev.slipway.instances.lifecycle.MemberIssue.Issued;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.OperationStore.Changed;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Launches: what would come of one, and doing it. */
public final class Launches {
    private final AppInstanceStore store;
    private final AdmissionStore admissions;
    private final Manifests manifests;
    private final LaunchParameters parameters;
    private final MemberIssue members;
    private final OperationStore operations;
    private final CommandStore commands;
    private final String region;

    public Launches(
            AppInstanceStore store,
            AdmissionStore admissions,
            Manifests manifests,
            LaunchParameters parameters,
            MemberIssue members,
            OperationStore operations,
            CommandStore commands,
            String region) {
        this.store = store;
        this.admissions = admissions;
        this.manifests = manifests;
        this.parameters = parameters;
        this.members = members;
        this.operations = operations;
        this.commands = commands;
        this.region = region;
    }

    /** A launch that nothing is in the way of: the instance as it would be, and how many members of components were asked for. */
    public record Admissible(Accepted decided, Known version, Map<String, Integer> counts) {}

    public Future<Admitted> admit(UnitOfWork unit, Launch launch) {
        return admissions.admit(unit, launch, Purpose.LAUNCH);
    }

    /** Refuses what may not be launched, or not so. */
    public Future<Admissible> judge(UnitOfWork unit, Launch launch, Map<String, Integer> counts, Admitted admitted) {
        var admission = admitted.admission();
        var id = Ids.next();
        var name = new ResourceName(region, admission.orgId(), launch.projectId(), "app_instance", id).toString();
        return Future.succeededFuture(InstanceLifecycle.request(launch, admission, id, name, unit.now()))
                .map(Decisions::accepted)
                .compose(decided -> manifests.of(unit, admitted.manifest()).compose(version -> {
                    members.requireFit(version.manifest(), counts);
                    return parameters
                            .resolved(version, launch.config())
                            .map(config -> new Admissible(
                                    new Accepted(
                                            decided.next().launchedWith(config, version.terms()), decided.events()),
                                    version,
                                    counts));
                }));
    }

    /** The row is written as it is after its two events. */
    Future<Changed> deploy(UnitOfWork unit, Admissible launch) {
        var requested = launch.decided.next();
        store.insert(unit, requested.noted());
        return members.issue(unit, store.announce(unit, launch.decided), launch.version.manifest(), launch.counts)
                .map(issued -> deploy(unit, requested, launch.version, issued));
    }

    private Changed deploy(UnitOfWork unit, AppInstance requested, Known version, Issued issued) {
        var id = Ids.next();
        var deadline = unit.now().plus(Deadlines.deploy(version.manifest()));
        var payload = AppInstanceJson.deploy(requested, version.text(), requested.config());
        if (!issued.members().isEmpty()) {
            payload.set("members", issued.members());
        }
        var command = commands.send(unit, "runtime.command.deploy", part(payload, id, deadline));
        return operations.accept(
                unit,
                issued.instance(),
                NewOperation.of(
                        id,
                        Kind.CREATE,
                        "apps.instance.create",
                        requested.requestedByUserId(),
                        requested.requestedByPrincipalId(),
                        deadline,
                        command));
    }

    /** Of an operation, to be done by then. */
    static ObjectNode part(ObjectNode command, UUID operationId, Instant deadline) {
        return command.put("operation_id", operationId.toString()).put("deadline_at", deadline.toString());
    }
}
