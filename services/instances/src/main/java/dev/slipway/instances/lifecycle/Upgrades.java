package dev.slipway.instances.lifecycle;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AdmissionStore.Admitted;
import dev.slipway.instances.appinstance.AdmissionStore.Purpose;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.appinstance.domain.Upgrade;
import dev.slipway.instances.appinstance.domain.UpgradePath;
import dev.slipway.instances.lifecycle.Manifests.Known;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.operation.OperationStore.Changed;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.report.Report;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Upgrades and rollbacks: an instance runs what it runs until its adapter says that it runs the other version. */
public final class Upgrades {
    private final AppInstanceStore store;
    private final AdmissionStore admissions;
    private final Manifests manifests;
    private final LaunchParameters parameters;
    private final MemberIssue members;
    private final OperationStore operations;
    private final CommandStore commands;

    public Upgrades(
            AppInstanceStore store,
            AdmissionStore admissions,
            Manifests manifests,
            LaunchParameters parameters,
            MemberIssue members,
            OperationStore operations,
            CommandStore commands) {
        this.store = store;
        this.admissions = admissions;
        this.manifests = manifests;
        this.parameters = parameters;
        this.members = members;
        this.operations = operations;
        this.commands = commands;
    }

    /** What an instance is to be brought to. */
    private record Goal(Kind kind, String version, Known manifest, String config, Duration within) {}

    /** {@code config} is JSON text; null takes the instance's own. */
    Future<Changed> upgrade(
            UnitOfWork unit, UUID projectId, UUID id, String version, @Nullable String config, Principal by) {
        return unchanging(unit, projectId, id).compose(instance -> admissions
                .admit(unit, launch(instance, version, by), Purpose.CHANGE)
                .compose(admitted -> goal(unit, instance, version, config, by, admitted))
                .compose(goal -> begin(unit, instance, goal, by)));
    }

    Future<Changed> rollback(UnitOfWork unit, UUID projectId, UUID id, Principal by) {
        return unchanging(unit, projectId, id).compose(instance -> admissions
                .version(unit, instance.app().appId(), instance.app().version())
                .compose(current -> manifests.of(unit, current.manifest()))
                .compose(current -> back(unit, instance, current, by)));
    }

    /** The instance behind its lock, if it is in a state to be changed, and nothing else is changing it. */
    private Future<AppInstance> unchanging(UnitOfWork unit, UUID projectId, UUID id) {
        return store.lock(unit, projectId, id).compose(instance -> operations
                .requireNoneChanging(unit, instance)
                .map(ok -> {
                    var ignored = Decisions.accepted(InstanceLifecycle.beginChange(instance));
                    return instance;
                }));
    }

    private Future<Goal> goal(
            UnitOfWork unit,
            AppInstance instance,
            String version,
            @Nullable String config,
            Principal by,
            Admitted admitted) {
        Decisions.require(InstanceLifecycle.refusal(launch(instance, version, by), admitted.admission()));
        var backend = Objects.requireNonNull(admitted.admission().version()).runtimeBackend();
        return manifests.of(unit, admitted.manifest()).compose(manifest -> {
            Decisions.require(UpgradePath.upgrade(instance, version, backend, manifest.way("upgrade")));
            var asked = config == null ? LaunchParameters.carriedOver(manifest, instance.config()) : config;
            return parameters
                    .resolved(manifest, asked)
                    .map(resolved -> new Goal(
                            Kind.UPGRADE, version, manifest, resolved, Deadlines.upgrade(manifest.manifest())));
        });
    }

    /** Back to what it was, as it was: only what may not run at all any more is in the way. */
    private Future<Changed> back(UnitOfWork unit, AppInstance instance, Known current, Principal by) {
        var previous = instance.previous();
        Decisions.require(UpgradePath.rollback(instance, previous, current.way("rollback")));
        var to = Objects.requireNonNull(previous);
        var launch = launch(instance, to.version(), by);
        return admissions
                .admit(unit, launch, Purpose.CHANGE)
                .compose(admitted -> {
                    Decisions.require(InstanceLifecycle.refusal(
                            launch, admitted.admission().withDeprecated()));
                    return manifests.of(unit, admitted.manifest());
                })
                .map(manifest -> new Goal(
                        Kind.ROLLBACK, to.version(), manifest, to.config(), Deadlines.rollback(current.manifest())))
                .compose(goal -> begin(unit, instance, goal, by));
    }

    private Future<Changed> begin(UnitOfWork unit, AppInstance instance, Goal goal, Principal by) {
        var changing =
                Decisions.accepted(InstanceLifecycle.beginChange(instance)).next();
        return members.issue(unit, changing, goal.manifest.manifest(), Map.of()).map(issued -> {
            var id = Ids.next();
            var deadline = unit.now().plus(goal.within);
            var payload = AppInstanceJson.deploy(changing, goal.manifest.text(), goal.config)
                    .put("from_version", instance.app().version())
                    .put("app_version", goal.version);
            if (!issued.members().isEmpty()) {
                payload.set("members", issued.members());
            }
            var command =
                    commands.send(unit, "runtime.command." + goal.kind.text(), Launches.part(payload, id, deadline));
            var asked = NewOperation.of(
                            id, goal.kind, "apps.instance.update", by.responsibleUserId(), by.id(), deadline, command)
                    .between(instance.app().version(), goal.version)
                    .with(Json.text(Json.object().set("config", Json.trusted(goal.config))));
            var opened = operations.accept(unit, issued.instance(), asked);
            store.keep(unit, opened.instance());
            return opened;
        });
    }

    /** An adapter says how an upgrade or a rollback ended. It may say so after the deadline: the truth is what runs. */
    public Future<AppInstance> ended(UnitOfWork unit, Report report) {
        var operation = Objects.requireNonNull(report.operation());
        var ended = OperationReports.decide(operation, report.payload(), unit.now());
        if (!report.payload().path("status").asText().equals("succeeded") || report.outdated()) {
            return Future.succeededFuture(kept(
                    unit,
                    report,
                    operations.apply(unit, report.instance(), operation, ended).instance()));
        }
        return runs(unit, report, operation)
                .map(upgraded -> kept(
                        unit,
                        report,
                        operations.apply(unit, upgraded, operation, ended).instance()));
    }

    /** What was given up is there all the same: the operation stays as it ended, the instance is as it is. */
    Future<AppInstance> runsAfterAll(UnitOfWork unit, Report report, Operation operation) {
        return runs(unit, report, operation).map(upgraded -> kept(unit, report, upgraded));
    }

    /** The instance, running what the operation led to. */
    private Future<AppInstance> runs(UnitOfWork unit, Report report, Operation operation) {
        var instance = report.instance();
        var endpoints = report.payload().path("endpoints");
        var state = Json.object();
        state.set("endpoints", endpoints.isArray() ? endpoints : Json.array());
        return admissions
                .version(unit, instance.app().appId(), Objects.requireNonNull(operation.toVersion()))
                .compose(known -> manifests.of(unit, known.manifest()).map(manifest -> {
                    var input = Json.trusted(Objects.requireNonNull(operation.input()));
                    var forward = operation.kind() == Kind.UPGRADE;
                    var upgrade = new Upgrade(
                            known.app(),
                            Json.text(input.path("config")),
                            manifest.terms(),
                            forward
                                    ? new Previous(
                                            instance.app().versionId(),
                                            instance.app().version(),
                                            instance.config())
                                    : null);
                    var decided = Decisions.accepted(InstanceLifecycle.reportUpgraded(
                            instance, report.generation(), operation.id(), upgrade, Json.text(state), unit.now()));
                    if (!decided.events().isEmpty()) {
                        store.keepVersion(unit, decided.next());
                    }
                    return store.announce(unit, decided);
                }));
    }

    private AppInstance kept(UnitOfWork unit, Report report, AppInstance after) {
        if (!after.equals(report.instance())) {
            store.keep(unit, after);
        }
        return after;
    }

    private static Launch launch(AppInstance instance, String version, Principal by) {
        return new Launch(
                instance.projectId(),
                instance.app().slug(),
                version,
                instance.displayName(),
                instance.operatingMode(),
                instance.controlPlaneScope(),
                instance.operatorServiceAccountId(),
                instance.config(),
                by.responsibleUserId(),
                by.id(),
                instance.placement());
    }
}
