package dev.slipway.processadapter;

import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Reports;
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
 * A process for every member of an instance, launched from a profile, watched, and launched again when it ends by itself.
 *
 * <p>State lives on one event loop; files and processes are touched by a worker, one call after another.
 */
final class ProcessAdapter implements RuntimeAdapter {
    private static final long WATCH_EVERY_MS = 500;
    private static final int UUID_LENGTH = 36;

    private final Vertx vertx;
    private final Machine machine;
    private final Duration usageWindow;
    private final Operations operations;
    private final Map<UUID, Instance> instances = new HashMap<>();
    private @Nullable Keeper keeper;
    private @Nullable UsageMeter usage;
    private @Nullable Changes changes;
    private long watch = -1;
    private long settle = -1;

    ProcessAdapter(Vertx vertx, Path home, int maxProcesses, Map<String, Profile> profiles, Duration usageWindow) {
        this.vertx = vertx;
        this.machine = new Machine(vertx, home, maxProcesses, profiles);
        this.usageWindow = usageWindow;
        this.operations = new Operations(vertx);
    }

    @Override
    public String backend() {
        return "bare_metal";
    }

    @Override
    public String software() {
        return "slipway process-adapter";
    }

    /** Takes its processes up again, and launches those that should run and do not. */
    @Override
    public Future<Void> start(Reports reports) {
        var meter = new UsageMeter(machine, reports, usageWindow);
        var keeping = new Keeper(machine, reports, meter, instances::values);
        usage = meter;
        keeper = keeping;
        changes = new Changes(machine, keeping, meter);
        return machine.blocking(this::onDisk).map(found -> {
            for (var instance : found) {
                instances.put(instance.id(), instance);
                for (var ignored : instance.procs()) {
                    machine.places().occupy();
                }
                instance.places(instance.procs().size());
                keeping.restore(instance);
            }
            watch = vertx.setPeriodic(WATCH_EVERY_MS, timer -> keeping.watch());
            settle = vertx.setPeriodic(
                    Math.max(1, usageWindow.toMillis() / 2), timer -> meter.settle(List.copyOf(instances.values())));
            return null;
        });
    }

    private List<Instance> onDisk() throws Exception {
        var found = new ArrayList<Instance>();
        for (var id : directories()) {
            var instance = new Instance(new InstanceDir(machine.instances(), id));
            var spec = instance.directory().spec();
            var mark = instance.directory().mark();
            if (mark != null) {
                instance.metering().restore(mark);
            }
            if (spec != null) {
                instance.spec(spec);
                found.add(instance);
            }
        }
        return found;
    }

    private Set<UUID> directories() throws Exception {
        Files.createDirectories(machine.instances());
        var ids = new HashSet<UUID>();
        try (var entries = Files.newDirectoryStream(machine.instances())) {
            for (var entry : entries) {
                var name = entry.getFileName().toString();
                if (name.length() == UUID_LENGTH) {
                    ids.add(UUID.fromString(name));
                }
            }
        }
        return ids;
    }

    /** Also those that failed and left their logs. */
    @Override
    public Future<Set<UUID>> owned(Set<UUID> onRecord) {
        return machine.blocking(this::directories);
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var spec = Spec.of(command);
        var refusal = machine.refusal(spec);
        if (refusal != null) {
            return Future.succeededFuture(refusal);
        }
        var instance = instance(command.task().appInstanceId());
        return requireNonNull(changes).deploy(instance, spec, progress);
    }

    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        var spec = Spec.of(command);
        var refusal = machine.refusal(spec);
        if (refusal != null) {
            return Future.succeededFuture(refusal);
        }
        var instance = instance(command.task().appInstanceId());
        return requireNonNull(changes).upgrade(instance, spec, progress);
    }

    /** The version that it came from is launched like any other. */
    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return upgrade(command, progress);
    }

    @Override
    public Future<Outcome> member(MemberCommand command, Progress progress) {
        var instance = instances.get(command.task().appInstanceId());
        if (instance == null || instance.spec() == null) {
            return Future.succeededFuture(new Failed("nothing of the instance runs here"));
        }
        var work = new MemberWork(machine, requireNonNull(keeper), instance, progress);
        return switch (command.operation()) {
            case ADD -> work.add(command.member());
            case DRAIN -> work.drain(command.member());
            case REMOVE -> work.remove(command.member());
            case REPLACE -> work.replace(command.member(), requireNonNull(command.replacement()));
            case CORDON, UNCORDON, LABEL -> RuntimeAdapter.super.member(command, progress);
        };
    }

    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var instance = instances.get(command.task().appInstanceId());
        var spec = instance == null ? null : instance.spec();
        if (instance == null || spec == null) {
            return Future.succeededFuture(new Failed("nothing of the instance runs here"));
        }
        var path = machine.profile(spec).path(command.operation());
        if (path == null) {
            return RuntimeAdapter.super.operate(command, progress);
        }
        return instance.procs().stream()
                .filter(proc -> !proc.part().drained())
                .map(Proc::url)
                .filter(Objects::nonNull)
                .findFirst()
                .map(url -> operations.run(command, url + path, progress))
                .orElseGet(() -> Future.succeededFuture(new Failed("no process of the instance is healthy now")));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var instance = instance(command.task().appInstanceId());
        return instance.exclusively(() -> machine.endAll(List.of(instance))
                        .compose(ok -> requireNonNull(usage).close(instance))
                        .compose(ok -> machine.blocking(() -> {
                            instance.directory().remove();
                            return null;
                        })))
                .map(ok -> {
                    machine.leave(instance, instance.places());
                    instance.noSpec();
                    instances.remove(instance.id());
                    return new Deleted();
                });
    }

    /** Ends all processes; what should run is still on record, and is launched at the next start. */
    @Override
    public Future<Void> stop() {
        vertx.cancelTimer(watch);
        vertx.cancelTimer(settle);
        var all = List.copyOf(instances.values());
        return machine.endAll(all)
                .transform(
                        ended -> Future.join(all.stream().map(this::closeUsage).toList()))
                .<Void>mapEmpty()
                .eventually(operations::close)
                .eventually(machine::close);
    }

    private Future<Void> closeUsage(Instance instance) {
        return usage == null ? Future.succeededFuture() : usage.close(instance);
    }

    private Instance instance(UUID id) {
        return instances.computeIfAbsent(id, unknown -> new Instance(new InstanceDir(machine.instances(), unknown)));
    }
}
