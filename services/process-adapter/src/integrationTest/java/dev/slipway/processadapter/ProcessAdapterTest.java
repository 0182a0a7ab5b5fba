package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.Member;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.MemberCommand.Operation;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Reports;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.adapter.Usage;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import static dev.slipway.processadapter.Awaiting.get;
import static dev.slipway.processadapter.Awaiting.pids;
import static dev.slipway.processadapter.Awaiting.read;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Real processes, without the platform. */
class ProcessAdapterTest {
    @TempDir
    Path home;

    private final List<Vertx> machines = new ArrayList<>();
    private final List<Outcome> reported = new CopyOnWriteArrayList<>();
    private final List<MemberState> seen = new CopyOnWriteArrayList<>();
    private final List<Usage> used = new CopyOnWriteArrayList<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Set<UUID> instances = new HashSet<>();
    private final Promise<Void> never = Promise.promise();
    private Context context;
    private ProcessAdapter adapter;

    private final class Heard implements Reports {
        @Override
        public Future<Void> report(UUID appInstanceId, Outcome outcome) {
            reported.add(outcome);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> members(UUID appInstanceId, List<MemberState> members) {
            seen.addAll(members);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> usage(UUID appInstanceId, Usage usage) {
            used.add(usage);
            return Future.succeededFuture();
        }
    }

    /** A new adapter on the same directory. */
    private void start(int maxChildren) throws Exception {
        var vertx = Vertx.vertx();
        machines.add(vertx);
        context = vertx.getOrCreateContext();
        var profiles = new HashMap<>(ProcessAdapterConfig.builtIn());
        profiles.put("silent", Profile.of(List.of("sleep", "600")));
        profiles.put("quits", Profile.of(List.of("false")));
        profiles.put("stubborn", Profile.of(List.of("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")));
        adapter = new ProcessAdapter(vertx, home, maxChildren, Map.copyOf(profiles), Duration.ofMillis(500));
        get(on(() -> adapter.start(new Heard())));
    }

    /** As kill -9 would: nothing is stopped, nothing is written. */
    private void crash() throws Exception {
        get(machines.get(machines.size() - 1).close());
    }

    @AfterEach
    void end() throws Exception {
        for (var machine : machines) {
            get(machine.close());
        }
        Processes.of(instances).forEach(ProcessHandle::destroyForcibly);
    }

    private <T> Future<T> on(Supplier<Future<T>> work) {
        var promise = Promise.<T>promise();
        context.runOnContext(ignored -> work.get().onComplete(promise));
        return promise.future();
    }

    private Task task(UUID instance, int generation) {
        instances.add(instance);
        return new Task(
                Ids.next(),
                Ids.next(),
                Ids.next(),
                instance,
                "echo",
                "1",
                "name",
                Ids.next(),
                generation,
                null,
                null,
                "corr");
    }

    private Progress progress(Future<Void> cancelled) {
        return new Progress() {
            @Override
            public Future<Void> say(Step step) {
                said.add(String.valueOf(step.message()));
                return Future.succeededFuture();
            }

            @Override
            public Future<Void> members(List<MemberState> members) {
                seen.addAll(members);
                return Future.succeededFuture();
            }

            @Override
            public Future<Void> cancelled() {
                return cancelled;
            }
        };
    }

    private static ObjectNode manifest(String profile, int seconds) {
        var manifest = Json.object();
        manifest.putArray("usage_units").add("app_runtime_hour");
        manifest.putObject("runtime").put("profile", profile);
        manifest.putObject("deadlines").put("deploy_seconds", seconds);
        return manifest;
    }

    private Future<Outcome> deploy(UUID instance, int generation, ObjectNode manifest, Future<Void> cancelled) {
        var config = Json.object().put("message", "say \"hi\"\n" + generation);
        return on(() -> adapter.deploy(
                new DeployCommand(task(instance, generation), manifest, config, List.of()), progress(cancelled)));
    }

    private Future<Outcome> deploy(UUID instance, Member... members) {
        var command = new DeployCommand(task(instance, 1), manifest("echo", 60), Json.object(), List.of(members));
        return on(() -> adapter.deploy(command, progress(never.future())));
    }

    private Future<Outcome> upgrade(UUID instance, String profile, Future<Void> cancelled, Member... members) {
        var command = new UpgradeCommand(
                task(instance, 2), "1", manifest(profile, 60), Json.object().put("message", "new"), List.of(members));
        return on(() -> adapter.upgrade(command, progress(cancelled)));
    }

    private Future<Outcome> member(UUID instance, Operation operation, Member member, Member replacement) {
        var command = new MemberCommand(task(instance, 1), operation, member, replacement, Map.of());
        return on(() -> adapter.member(command, progress(never.future())));
    }

    private Future<Outcome> operate(UUID instance, String operation, ObjectNode input, Future<Void> cancelled) {
        var command = new OperateCommand(task(instance, 1), operation, input);
        return on(() -> adapter.operate(command, progress(cancelled)));
    }

    private static Member newMember() {
        return new Member(Ids.next(), "server", 1, null);
    }

    /** What was said last of the member. */
    private State stateOf(Member member) {
        return seen.stream()
                .filter(state -> state.memberId().equals(member.memberId()))
                .reduce((first, second) -> second)
                .orElseThrow()
                .state();
    }

    private Future<Outcome> deploy(UUID instance) {
        return deploy(instance, 1, manifest("echo", 60), never.future());
    }

    private Future<Outcome> delete(UUID instance) {
        return on(() -> adapter.delete(new DeleteCommand(task(instance, 1)), progress(never.future())));
    }

    private static String url(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Running.class);
        return ((Running) outcome).endpoints().get(0).url();
    }

    private void kill(UUID instance) throws Exception {
        Processes.of(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void deploy_runsAProcessThatAnswers_onceHoweverOftenItIsAsked() throws Exception {
        start(5);
        var instance = Ids.next();

        var url = url(get(deploy(instance)));
        var process = pids(instance);
        var again = url(get(deploy(instance)));

        var answer = Json.trusted(read(url + "/some/path"));
        assertThat(answer.path("app_instance_id").asText()).isEqualTo(instance.toString());
        assertThat(answer.path("path").asText()).isEqualTo("/some/path");
        assertThat(answer.path("method").asText()).isEqualTo("GET");
        assertThat(answer.path("message").asText()).isEqualTo("say \"hi\"\n1");
        assertThat(again).isEqualTo(url);
        assertThat(pids(instance)).isEqualTo(process).hasSize(1);
    }

    @Test
    void deploy_replacesTheProcess_whenTheGenerationIsNew() throws Exception {
        start(5);
        var instance = Ids.next();
        get(deploy(instance));
        var process = pids(instance);

        var url = url(get(deploy(instance, 2, manifest("echo", 60), never.future())));

        assertThat(Json.trusted(read(url)).path("message").asText()).endsWith("2");
        assertThat(pids(instance)).hasSize(1).isNotEqualTo(process);
    }

    @Test
    void deploy_fails_whenTheProfileIsUnknown() throws Exception {
        start(5);
        var instance = Ids.next();

        var outcome = get(deploy(instance, 1, manifest("rm -rf /", 60), never.future()));

        assertThat(outcome).isInstanceOfSatisfying(Failed.class, failed -> assertThat(failed.reason())
                .contains("\"rm -rf /\"", "echo"));
        assertThat(home.resolve("instances").resolve(instance.toString())).doesNotExist();
    }

    @Test
    void deploy_failsAndFreesItsPlace_whenTheProcessEndsAtOnceOrIsNeverHealthy() throws Exception {
        start(1);
        var quits = Ids.next();
        var stubborn = Ids.next();

        assertThat(get(deploy(quits, 1, manifest("quits", 60), never.future())))
                .isEqualTo(new Failed("the process ended before it was healthy"));
        assertThat(get(deploy(stubborn, 1, manifest("stubborn", 1), never.future())))
                .isEqualTo(new Failed("the process was not healthy within 1 s"));

        assertThat(pids(stubborn)).isEmpty();
        assertThat(url(get(deploy(Ids.next())))).isNotEmpty();
        assertThat(said).isEmpty();
    }

    @Test
    void start_adoptsTheProcess_whenItOutlivedTheAdapter() throws Exception {
        start(5);
        var instance = Ids.next();
        var url = url(get(deploy(instance)));
        var process = pids(instance);
        crash();

        start(5);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());

        assertThat(url(reported.get(0))).isEqualTo(url);
        assertThat(pids(instance)).isEqualTo(process);
        kill(instance); // adopted means watched, too
        eventually(() -> assertThat(reported.size() == 2).isTrue());
        assertThat(read(url(reported.get(1)))).contains(instance.toString());
    }

    @Test
    void start_launchesAgain_whenTheProcessDiedMeanwhile() throws Exception {
        start(5);
        var instance = Ids.next();
        get(deploy(instance));
        crash();
        kill(instance);
        eventually(() -> assertThat(pids(instance).isEmpty()).isTrue());

        start(5);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());

        assertThat(read(url(reported.get(0)))).contains(instance.toString());
        assertThat(pids(instance)).hasSize(1);
    }

    @Test
    void watch_launchesAgainAndGivesUpAfterThreeTimes_whenTheProcessDies() throws Exception {
        start(1);
        var instance = Ids.next();
        get(deploy(instance));

        for (var i = 1; i <= 3; i++) {
            var relaunched = i;
            kill(instance);
            eventually(() -> assertThat(reported.size() == relaunched).isTrue());
            assertThat(read(url(reported.get(i - 1)))).contains(instance.toString());
        }
        kill(instance);
        eventually(() -> assertThat(reported.size() == 4).isTrue());

        assertThat(reported.get(3)).isInstanceOf(Failed.class);
        assertThat(url(get(deploy(Ids.next())))).as("its place is free").isNotEmpty();
        assertThat(pids(instance)).isEmpty();
    }

    @Test
    void delete_leavesNothing() throws Exception {
        start(5);
        var instance = Ids.next();
        get(deploy(instance));

        assertThat(get(delete(instance))).isEqualTo(new Deleted());

        assertThat(pids(instance)).isEmpty();
        assertThat(home.resolve("instances")).isEmptyDirectory();
        assertThat(get(delete(instance))).as("again").isEqualTo(new Deleted());
        assertThat(get(delete(Ids.next()))).as("never deployed").isEqualTo(new Deleted());
        assertThat(reported).isEmpty();
    }

    @Test
    void deploy_waitsForAPlaceAndSaysSo_whenAllAreTaken() throws Exception {
        start(1);
        var first = Ids.next();
        get(deploy(first));
        var cancel = Promise.<Void>promise();
        var unwanted = deploy(Ids.next(), 1, manifest("echo", 60), cancel.future());
        var waiting = deploy(Ids.next());
        eventually(() -> assertThat(said.size() == 2).isTrue());
        assertThat(said).containsOnly("waiting for a free slot: 1 of 1 in use");

        context.runOnContext(ignored -> cancel.complete());
        assertThat(get(unwanted)).isInstanceOf(Canceled.class);
        assertThat(waiting.isComplete()).isFalse();
        get(delete(first));

        assertThat(url(get(waiting))).isNotEmpty();
    }

    @Test
    void stop_endsAllProcesses_andTheNextStartLaunchesThem() throws Exception {
        start(5);
        var one = Ids.next();
        var two = Ids.next();
        get(deploy(one));
        get(deploy(two));

        get(on(() -> adapter.stop()));
        assertThat(pids(one)).isEmpty();
        assertThat(pids(two)).isEmpty();
        assertThat(Files.exists(
                        home.resolve("instances").resolve(one.toString()).resolve("spec.json")))
                .isTrue();
        crash();

        start(5);
        eventually(() -> assertThat(reported.size() == 2).isTrue());
        assertThat(pids(one)).hasSize(1);
        assertThat(pids(two)).hasSize(1);
    }

    @Test
    void members_areAProcessEach_andComeAndGo() throws Exception {
        start(4);
        var instance = Ids.next();
        var first = newMember();
        var second = newMember();
        var url = url(get(deploy(instance, first, second)));
        assertThat(pids(instance)).hasSize(2);
        assertThat(stateOf(first)).isEqualTo(State.READY);
        assertThat(Json.trusted(read(url)).path("member").asText())
                .isEqualTo(first.memberId().toString());
        var detail = seen.get(seen.size() - 1).detail();
        assertThat(Files.exists(Path.of(detail.path("log").asText()))).isTrue();
        assertThat(detail.at("/limits/open_files").asInt()).isPositive();

        // A drained member runs, and the endpoint leads to the other
        var asked = new Member(first.memberId(), "server", 2, first.componentKey());
        assertThat(get(member(instance, Operation.DRAIN, asked, null))).isInstanceOf(Done.class);
        assertThat(stateOf(first)).isEqualTo(State.DRAINING);
        assertThat(seen.get(seen.size() - 1).generation()).isEqualTo(2);
        assertThat(Json.trusted(read(url(reported.get(0)))).path("member").asText())
                .isEqualTo(second.memberId().toString());
        assertThat(read(url)).isNotEmpty();

        // A third is added, and takes the place of the second
        var third = newMember();
        var fourth = newMember();
        assertThat(get(member(instance, Operation.ADD, third, null))).isInstanceOf(Done.class);
        assertThat(get(member(instance, Operation.ADD, third, null)))
                .as("again")
                .isInstanceOf(Done.class);
        assertThat(pids(instance)).hasSize(3);
        assertThat(get(member(instance, Operation.REPLACE, second, fourth))).isInstanceOf(Done.class);
        assertThat(stateOf(second)).isEqualTo(State.REMOVED);
        assertThat(stateOf(fourth)).isEqualTo(State.READY);
        assertThat(get(member(instance, Operation.REMOVE, first, null))).isInstanceOf(Done.class);
        assertThat(get(member(instance, Operation.REMOVE, first, null)))
                .as("again")
                .isInstanceOf(Done.class);
        assertThat(pids(instance)).hasSize(2);
        assertThat(get(member(instance, Operation.DRAIN, first, null))).isInstanceOf(Failed.class);
        assertThat(get(member(instance, Operation.LABEL, third, null)))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).contains("label"));

        // All that is found again by the next adapter, and nothing is left in the end
        crash();
        start(4);
        eventually(() -> assertThat(reported.size() > 1).isTrue());
        assertThat(pids(instance)).hasSize(2);
        assertThat(get(delete(instance))).isEqualTo(new Deleted());
        assertThat(pids(instance)).isEmpty();
        assertThat(home.resolve("instances")).isEmptyDirectory();
        assertThat(url(get(deploy(Ids.next(), newMember(), newMember(), newMember(), newMember()))))
                .as("all places are free")
                .isNotEmpty();
    }

    @Test
    void upgrade_launchesTheNewBesideTheOld_whichEndsWhenItHasTakenOver() throws Exception {
        start(4);
        var instance = Ids.next();
        var member = newMember();
        var old = url(get(deploy(instance, member)));
        var before = pids(instance);

        assertThat(get(upgrade(instance, "quits", never.future(), member)))
                .isEqualTo(new Failed("the process ended before it was healthy"));
        assertThat(read(old)).as("the old has not noticed").isNotEmpty();
        assertThat(pids(instance)).isEqualTo(before);
        var unwanted = Promise.<Void>promise();
        var canceled = upgrade(instance, "silent", unwanted.future(), member);
        eventually(() -> assertThat(pids(instance).size() > 1).isTrue());
        context.runOnContext(ignored -> unwanted.complete());
        assertThat(get(canceled)).isInstanceOf(Canceled.class);
        assertThat(pids(instance)).isEqualTo(before);

        var url = url(get(upgrade(instance, "echo", never.future(), member, newMember())));

        assertThat(Json.trusted(read(url)).path("message").asText()).isEqualTo("new");
        eventually(
                () -> assertThat(pids(instance).size() == 2 && !pids(instance).containsAll(before))
                        .isTrue());
        assertThat(url(get(upgrade(instance, "echo", never.future(), member, newMember()))))
                .as("asked again after a crash, it has taken over already")
                .isEqualTo(url);
        assertThat(get(delete(instance))).isEqualTo(new Deleted());
        assertThat(pids(instance)).isEmpty();
    }

    @Test
    void start_endsWhatAnUpgradeLeftBeside_whenItWasCutOff() throws Exception {
        start(4);
        var instance = Ids.next();
        get(deploy(instance));
        var before = pids(instance);
        var cutOff = upgrade(instance, "silent", never.future());
        eventually(() -> assertThat(pids(instance).size() > 1).isTrue());
        crash();

        start(4);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());

        assertThat(pids(instance)).isEqualTo(before);
        assertThat(cutOff.isComplete()).isFalse();
    }

    @Test
    void operate_asksTheApp_andIsNotWaitedForWhenItIsCanceled() throws Exception {
        start(4);
        var instance = Ids.next();
        var member = newMember();
        get(deploy(instance, member));

        var ping = get(operate(instance, "echo.ping", Json.object().put("message", "say \"hi\""), never.future()));
        var unwanted = Promise.<Void>promise();
        var wait = operate(instance, "echo.wait", Json.object().put("seconds", 600), unwanted.future());
        context.runOnContext(ignored -> unwanted.complete());

        assertThat(ping)
                .isEqualTo(new Done(Json.object()
                        .put("message", "say \"hi\"")
                        .put("member", member.memberId().toString())));
        assertThat(get(wait)).isInstanceOf(Canceled.class);
        assertThat(get(operate(instance, "echo.dance", Json.object(), never.future())))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).contains("echo.dance"));
        assertThat(get(operate(Ids.next(), "echo.ping", Json.object(), never.future())))
                .isInstanceOf(Failed.class);
    }

    @Test
    void usage_isReportedWindowByWindow_andTheRestAtTheEnd() throws Exception {
        start(4);
        var instance = Ids.next();
        get(deploy(instance));
        eventually(() -> assertThat(used.size() > 1).isTrue());
        crash();
        start(4);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());
        get(delete(instance));

        var windows = new TreeMap<Instant, Usage>();
        used.forEach(usage -> windows.put(usage.windowStart(), usage));
        assertThat(used).allSatisfy(usage -> assertThat(usage.usageId())
                .as("of one window there is one report, however often it is made")
                .isEqualTo(windows.get(usage.windowStart()).usageId()));
        var ends = windows.values().stream().map(Usage::windowEnd).toList();
        assertThat(List.copyOf(windows.keySet()).subList(1, windows.size()))
                .as("no gap and no overlap, over a crash of the adapter")
                .isEqualTo(ends.subList(0, ends.size() - 1));
    }

    @Test
    void owned_areThoseOfWhichThereIsSomething() throws Exception {
        start(4);
        var instance = Ids.next();
        get(deploy(instance));

        assertThat(get(on(() -> adapter.owned(Set.of())))).containsExactly(instance);
    }
}
