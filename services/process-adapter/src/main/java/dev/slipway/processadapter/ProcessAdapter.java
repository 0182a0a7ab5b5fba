package dev.slipway.processadapter;

import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.InstanceReporter;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.adapter.UpgradeCommand;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/**
 * Runs each member of an instance as a process: launches it from a profile, supervises it and relaunches it when it exits.
 *
 * <p>State is confined to one event loop; files and processes are accessed by a worker thread, one call at a time.
 */
final class ProcessAdapter implements RuntimeAdapter {
    private static final long WATCH_INTERVAL_MS = 500;
    private static final int UUID_LENGTH = 36;

    private final Vertx vertx;
    private final ProcessLauncher launcher;
    private final Duration usageWindow;
    private final @Nullable String sourceCommit;
    private final OperationClient operationClient;
    private final Map<UUID, ManagedInstance> instances = new HashMap<>();
    private @Nullable ProcessSupervisor supervisor;
    private @Nullable UsageReporter usage;
    private @Nullable InstanceDeployer deployer;
    private long watchTimer = -1;
    private long usageTimer = -1;

    ProcessAdapter(
            Vertx vertx,
            Path home,
            int maxProcesses,
            Map<String, LaunchProfile> profiles,
            Duration usageWindow,
            AppAccount account,
            @Nullable String sourceCommit) {
        this.sourceCommit = sourceCommit;
        this.vertx = vertx;
        this.launcher = new ProcessLauncher(vertx, home, maxProcesses, profiles, account);
        this.usageWindow = usageWindow;
        this.operationClient = new OperationClient(vertx);
    }

    @Override
    public String backend() {
        return "bare_metal";
    }

    @Override
    public String software() {
        return "slipway process-adapter";
    }

    @Override
    public @Nullable String sourceCommit() {
        return sourceCommit;
    }

    /** Adopts running processes and launches those that should run and do not. */
    @Override
    public Future<Void> start(InstanceReporter reporter) {
        var meter = new UsageReporter(launcher, reporter, usageWindow);
        var newSupervisor = new ProcessSupervisor(launcher, reporter, meter, instances::values);
        usage = meter;
        supervisor = newSupervisor;
        deployer = new InstanceDeployer(launcher, newSupervisor, meter);
        launcher.checkAccount();
        return launcher.runBlocking(this::loadInstances).map(found -> {
            for (var instance : found) {
                instances.put(instance.id(), instance);
                for (var ignored : instance.processes()) {
                    launcher.slots().forceAcquire();
                }
                instance.slots(instance.processes().size());
                newSupervisor.restore(instance);
            }
            watchTimer = vertx.setPeriodic(WATCH_INTERVAL_MS, timer -> newSupervisor.checkProcesses());
            usageTimer = vertx.setPeriodic(
                    Math.max(1, usageWindow.toMillis() / 2),
                    timer -> meter.reportCompletedWindows(List.copyOf(instances.values())));
            return null;
        });
    }

    private List<ManagedInstance> loadInstances() throws Exception {
        var found = new ArrayList<ManagedInstance>();
        for (var id : listInstanceIds()) {
            var instance = new ManagedInstance(new InstanceDir(launcher.instancesDir(), id));
            var spec = instance.directory().readSpec();
            var meteringMark = instance.directory().readMark();
            if (meteringMark != null) {
                instance.metering().restore(meteringMark);
            }
            if (spec != null) {
                instance.spec(spec);
                found.add(instance);
            }
        }
        return found;
    }

    private Set<UUID> listInstanceIds() throws Exception {
        Files.createDirectories(launcher.instancesDir());
        var ids = new HashSet<UUID>();
        try (var entries = Files.newDirectoryStream(launcher.instancesDir())) {
            for (var entry : entries) {
                var name = entry.getFileName().toString();
                if (name.length() == UUID_LENGTH) {
                    ids.add(UUID.fromString(name));
                }
            }
        }
        return ids;
    }

    /** Includes failed instances, whose logs are kept. */
    @Override
    public Future<Set<UUID>> listInstances(Set<UUID> onRecord) {
        return launcher.runBlocking(this::listInstanceIds);
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var spec = InstanceSpec.of(command);
        var refusal = launcher.validate(spec);
        if (refusal != null) {
            return Future.succeededFuture(refusal);
        }
        var instance = getOrCreate(command.task().subjectId());
        return requireNonNull(deployer).deploy(instance, spec, progress);
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        var spec = InstanceSpec.of(command);
        var refusal = launcher.validate(spec);
        if (refusal != null) {
            return Future.succeededFuture(refusal);
        }
        var instance = getOrCreate(command.task().subjectId());
        return requireNonNull(deployer).upgrade(instance, spec, progress);
    }

    /** A rollback is an upgrade to the previous version. */
    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return upgrade(command, progress);
    }

    @Override
    public Future<Outcome> changeMember(MemberCommand command, Progress progress) {
        var instance = instances.get(command.task().subjectId());
        if (instance == null || instance.spec() == null) {
            return Future.succeededFuture(new Failed("the instance does not run here"));
        }
        var work = new MemberCommandHandler(launcher, requireNonNull(supervisor), instance, progress);
        return switch (command.operation()) {
            case ADD -> work.add(command.member());
            case DRAIN -> work.drain(command.member());
            case REMOVE -> work.remove(command.member());
            case REPLACE -> work.replace(command.member(), requireNonNull(command.replacement()));
            case CORDON, UNCORDON, LABEL -> RuntimeAdapter.super.changeMember(command, progress);
        };
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var instance = instances.get(command.task().subjectId());
        var spec = instance == null ? null : instance.spec();
        if (instance == null || spec == null) {
            return Future.succeededFuture(new Failed("the instance does not run here"));
        }
        var profile = launcher.profile(spec);
        var path = profile.operationPath(command.operation());
        if (path == null) {
            return RuntimeAdapter.super.operate(command, progress);
        }
        return instance.processes().stream()
                .filter(process -> !process.spec().drained())
                .filter(process -> profile.receivesOperations(process.spec().component()))
                .map(ManagedProcess::url)
                .filter(Objects::nonNull)
                .findFirst()
                .map(url -> operationClient.invoke(command, url + path, progress))
                .orElseGet(() -> Future.succeededFuture(new Failed("no process of the instance is healthy")));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = getOrCreate(command.task().subjectId());
        return instance.runExclusively(() -> launcher.terminateAll(List.of(instance))
                        .compose(ok -> requireNonNull(usage).close(instance))
                        .compose(ok -> launcher.runBlocking(() -> {
                            instance.directory().remove();
                            return null;
                        })))
                .map(ok -> {
                    launcher.releaseSlots(instance, instance.slots());
                    instance.clearSpec();
                    instances.remove(instance.id());
                    return new Deleted();
                });
    }

    /** Terminates all processes. Their specs are kept, so the next start launches them again. */
    @Override
    public Future<Void> stop() {
        vertx.cancelTimer(watchTimer);
        vertx.cancelTimer(usageTimer);
        var all = List.copyOf(instances.values());
        return launcher.terminateAll(all)
                .transform(
                        ended -> Future.join(all.stream().map(this::closeUsage).toList()))
                .<Void>mapEmpty()
                .eventually(operationClient::close)
                .eventually(launcher::close);
    }

    private Future<Void> closeUsage(ManagedInstance instance) {
        return usage == null ? Future.succeededFuture() : usage.close(instance);
    }

    private ManagedInstance getOrCreate(UUID id) {
        return instances.computeIfAbsent(
                id, unknown -> new ManagedInstance(new InstanceDir(launcher.instancesDir(), unknown)));
    }
}
