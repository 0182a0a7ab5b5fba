package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.InstanceReporter;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.TaskSubject;
import dev.slipway.adapter.UsageWindow;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import static dev.slipway.processadapter.ProcessTestSupport.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts adapters with real processes and without a platform. */
abstract class ProcessAdapterTestBase {
    @TempDir
    Path home;

    private final List<Vertx> adapterVertx = new ArrayList<>();
    final List<Outcome> reported = new CopyOnWriteArrayList<>();
    final List<MemberState> memberStates = new CopyOnWriteArrayList<>();
    final List<UsageWindow> usageWindows = new CopyOnWriteArrayList<>();
    final List<String> messages = new CopyOnWriteArrayList<>();
    final Set<UUID> instances = new HashSet<>();
    final Promise<Void> never = Promise.promise();
    Context context;
    ProcessAdapter adapter;

    private final class RecordingReporter implements InstanceReporter {
        @Override
        public Future<Void> reportOutcome(UUID appInstanceId, Outcome outcome) {
            reported.add(outcome);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> reportMembers(UUID appInstanceId, List<MemberState> members) {
            memberStates.addAll(members);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> reportUsage(UUID appInstanceId, UsageWindow usageWindow) {
            usageWindows.add(usageWindow);
            return Future.succeededFuture();
        }
    }

    /** Starts a new adapter on the same directory. */
    void start(int maxChildren) throws Exception {
        var vertx = Vertx.vertx();
        adapterVertx.add(vertx);
        context = vertx.getOrCreateContext();
        var profiles = new HashMap<>(ProcessAdapterConfig.builtIn());
        profiles.put("silent", LaunchProfile.of(List.of("sleep", "600")));
        profiles.put("quits", LaunchProfile.of(List.of("false")));
        profiles.put("stubborn", LaunchProfile.of(List.of("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")));
        adapter = new ProcessAdapter(
                vertx, home, maxChildren, Map.copyOf(profiles), Duration.ofMillis(500), AppAccount.OWN, null);
        await(on(() -> adapter.start(new RecordingReporter())));
    }

    /** Simulates a crash: nothing is stopped or written. */
    void crash() throws Exception {
        await(adapterVertx.get(adapterVertx.size() - 1).close());
    }

    @AfterEach
    void end() throws Exception {
        for (var machine : adapterVertx) {
            await(machine.close());
        }
        ProcessTable.findByInstance(instances).forEach(ProcessHandle::destroyForcibly);
    }

    <T> Future<T> on(Supplier<Future<T>> work) {
        var promise = Promise.<T>promise();
        context.runOnContext(ignored -> work.get().onComplete(promise));
        return promise.future();
    }

    Task task(UUID instance, int generation) {
        instances.add(instance);
        return new Task(
                Ids.next(),
                Ids.next(),
                Ids.next(),
                new TaskSubject(TaskSubject.Kind.APP_INSTANCE, instance),
                "echo",
                "1",
                "name",
                Ids.next(),
                generation,
                null,
                null,
                "corr");
    }

    Progress progress(Future<Void> cancelled) {
        return new Progress() {
            @Override
            public Future<Void> report(ProgressUpdate progressUpdate) {
                messages.add(String.valueOf(progressUpdate.message()));
                return Future.succeededFuture();
            }

            @Override
            public Future<Void> reportMembers(List<MemberState> members) {
                memberStates.addAll(members);
                return Future.succeededFuture();
            }

            @Override
            public Future<Void> cancellation() {
                return cancelled;
            }
        };
    }

    static ObjectNode manifest(String profile, int seconds) {
        var manifest = Json.object();
        manifest.putArray("usage_units").add("app_runtime_hour");
        manifest.putObject("runtime").put("profile", profile);
        manifest.putObject("deadlines").put("deploy_seconds", seconds);
        return manifest;
    }

    Future<Outcome> deploy(UUID instance, int generation, ObjectNode manifest, Future<Void> cancelled) {
        var config = Json.object().put("message", "say \"hi\"\n" + generation);
        return on(() -> adapter.deploy(
                new DeployCommand(task(instance, generation), manifest, config, List.of()), progress(cancelled)));
    }

    Future<Outcome> deploy(UUID instance, MemberRef... members) {
        var command = new DeployCommand(task(instance, 1), manifest("echo", 60), Json.object(), List.of(members));
        return on(() -> adapter.deploy(command, progress(never.future())));
    }

    static MemberRef newMember() {
        return new MemberRef(Ids.next(), "server", 1, null);
    }

    Future<Outcome> deploy(UUID instance) {
        return deploy(instance, 1, manifest("echo", 60), never.future());
    }

    Future<Outcome> delete(UUID instance) {
        return on(() -> adapter.delete(new DeleteCommand(task(instance, 1)), progress(never.future())));
    }

    static String url(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Running.class);
        return ((Running) outcome).endpoints().get(0).url();
    }

    void kill(UUID instance) throws Exception {
        ProcessTable.findByInstance(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }
}
