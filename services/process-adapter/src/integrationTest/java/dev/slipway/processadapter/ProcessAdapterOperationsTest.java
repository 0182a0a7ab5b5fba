package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.MemberCommand;
import dev.slipway.adapter.MemberCommand.Operation;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.adapter.UsageWindow;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import static dev.slipway.processadapter.ProcessTestSupport.await;
import static dev.slipway.processadapter.ProcessTestSupport.pids;
import static dev.slipway.processadapter.ProcessTestSupport.read;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests member commands, upgrades, operations of the app and usage reports. */
class ProcessAdapterOperationsTest extends ProcessAdapterTestBase {
    private Future<Outcome> upgrade(UUID instance, String profile, Future<Void> cancelled, MemberRef... members) {
        var command = new UpgradeCommand(
                task(instance, 2), "1", manifest(profile, 60), Json.object().put("message", "new"), List.of(members));
        return on(() -> adapter.upgrade(command, progress(cancelled)));
    }

    private Future<Outcome> member(UUID instance, Operation operation, MemberRef memberRef, MemberRef replacement) {
        var command = new MemberCommand(task(instance, 1), operation, memberRef, replacement, Map.of());
        return on(() -> adapter.changeMember(command, progress(never.future())));
    }

    private Future<Outcome> operate(UUID instance, String operation, ObjectNode input, Future<Void> cancelled) {
        var command = new OperateCommand(task(instance, 1), operation, input);
        return on(() -> adapter.operate(command, progress(cancelled)));
    }

    /** Returns the last reported state of the member. */
    private State stateOf(MemberRef memberRef) {
        return memberStates.stream()
                .filter(state -> state.memberId().equals(memberRef.memberId()))
                .reduce((first, second) -> second)
                .orElseThrow()
                .state();
    }

    @Test
    void memberCommands_startAndStopOneProcessPerMember() throws Exception {
        start(4);
        var instance = Ids.next();
        var first = newMember();
        var second = newMember();
        var url = url(await(deploy(instance, first, second)));
        assertThat(pids(instance)).hasSize(2);
        assertThat(stateOf(first)).isEqualTo(State.READY);
        assertThat(Json.parseStoredObject(read(url)).path("member").asText())
                .isEqualTo(first.memberId().toString());
        var detail = memberStates.get(memberStates.size() - 1).detail();
        assertThat(detail.at("/limits/open_files").asInt()).isPositive();
        assertThat(detail.properties()).extracting(Map.Entry::getKey).containsExactlyInAnyOrder("url", "limits");

        // A drained member keeps running, and the endpoint refers to the other one
        var nextGeneration = new MemberRef(first.memberId(), "server", 2, first.componentKey());
        assertThat(await(member(instance, Operation.DRAIN, nextGeneration, null)))
                .isInstanceOf(Done.class);
        assertThat(stateOf(first)).isEqualTo(State.DRAINING);
        assertThat(memberStates.get(memberStates.size() - 1).generation()).isEqualTo(2);
        assertThat(Json.parseStoredObject(read(url(reported.get(0))))
                        .path("member")
                        .asText())
                .isEqualTo(second.memberId().toString());
        assertThat(read(url)).isNotEmpty();

        // A third member is added and replaces the second one
        var third = newMember();
        var fourth = newMember();
        assertThat(await(member(instance, Operation.ADD, third, null))).isInstanceOf(Done.class);
        assertThat(await(member(instance, Operation.ADD, third, null)))
                .as("repeated")
                .isInstanceOf(Done.class);
        assertThat(pids(instance)).hasSize(3);
        assertThat(await(member(instance, Operation.REPLACE, second, fourth))).isInstanceOf(Done.class);
        assertThat(stateOf(second)).isEqualTo(State.REMOVED);
        assertThat(stateOf(fourth)).isEqualTo(State.READY);
        assertThat(await(member(instance, Operation.REMOVE, first, null))).isInstanceOf(Done.class);
        assertThat(await(member(instance, Operation.REMOVE, first, null)))
                .as("repeated")
                .isInstanceOf(Done.class);
        assertThat(pids(instance)).hasSize(2);
        assertThat(await(member(instance, Operation.DRAIN, first, null))).isInstanceOf(Failed.class);
        assertThat(await(member(instance, Operation.LABEL, third, null)))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).contains("label"));

        // The next adapter finds all members, and a delete removes everything
        crash();
        start(4);
        eventually(() -> assertThat(reported.size() > 1).isTrue());
        assertThat(pids(instance)).hasSize(2);
        assertThat(await(delete(instance))).isEqualTo(new Deleted());
        assertThat(pids(instance)).isEmpty();
        assertThat(home.resolve("instances")).isEmptyDirectory();
        assertThat(url(await(deploy(Ids.next(), newMember(), newMember(), newMember(), newMember()))))
                .as("all slots are free")
                .isNotEmpty();
        assertReportsRevealNothingOfTheHost();
    }

    private void assertReportsRevealNothingOfTheHost() {
        var texts = new ArrayList<>(messages);
        reported.forEach(outcome -> texts.add(outcome.toString()));
        memberStates.forEach(state -> texts.add(state.toString()));
        assertThat(memberStates).isNotEmpty();
        assertThat(texts)
                .noneMatch(text -> text.contains(home.toString()))
                .noneMatch(text -> text.contains("\"pid\"") || text.contains("\"log\""));
    }

    @Test
    void upgrade_startsNewVersionBesideOld_andStopsOldAfterSwitchOver() throws Exception {
        start(4);
        var instance = Ids.next();
        var memberRef = newMember();
        var old = url(await(deploy(instance, memberRef)));
        var before = pids(instance);

        assertThat(await(upgrade(instance, "quits", never.future(), memberRef)))
                .isEqualTo(new Failed("the process exited before it was healthy"));
        assertThat(read(old)).as("the old version still runs").isNotEmpty();
        assertThat(pids(instance)).isEqualTo(before);
        var unwanted = Promise.<Void>promise();
        var canceled = upgrade(instance, "silent", unwanted.future(), memberRef);
        eventually(() -> assertThat(pids(instance).size() > 1).isTrue());
        context.runOnContext(ignored -> unwanted.complete());
        assertThat(await(canceled)).isInstanceOf(Canceled.class);
        assertThat(pids(instance)).isEqualTo(before);

        var url = url(await(upgrade(instance, "echo", never.future(), memberRef, newMember())));

        assertThat(Json.parseStoredObject(read(url)).path("message").asText()).isEqualTo("new");
        eventually(
                () -> assertThat(pids(instance).size() == 2 && !pids(instance).containsAll(before))
                        .isTrue());
        assertThat(url(await(upgrade(instance, "echo", never.future(), memberRef, newMember()))))
                .as("repeated after a crash, the upgrade is already effective")
                .isEqualTo(url);
        assertThat(await(delete(instance))).isEqualTo(new Deleted());
        assertThat(pids(instance)).isEmpty();
    }

    @Test
    void start_terminatesLeftovers_whenUpgradeWasInterrupted() throws Exception {
        start(4);
        var instance = Ids.next();
        await(deploy(instance));
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
    void operate_callsApp_andStopsWaitingWhenCanceled() throws Exception {
        start(4);
        var instance = Ids.next();
        var memberRef = newMember();
        await(deploy(instance, memberRef));

        var ping = await(operate(instance, "echo.ping", Json.object().put("message", "say \"hi\""), never.future()));
        var unwanted = Promise.<Void>promise();
        var wait = operate(instance, "echo.wait", Json.object().put("seconds", 600), unwanted.future());
        context.runOnContext(ignored -> unwanted.complete());

        assertThat(ping)
                .isEqualTo(new Done(Json.object()
                        .put("message", "say \"hi\"")
                        .put("member", memberRef.memberId().toString())));
        assertThat(await(wait)).isInstanceOf(Canceled.class);
        assertThat(await(operate(instance, "echo.dance", Json.object(), never.future())))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).contains("echo.dance"));
        assertThat(await(operate(Ids.next(), "echo.ping", Json.object(), never.future())))
                .isInstanceOf(Failed.class);
    }

    @Test
    void usage_isReportedPerWindow_andRemainderOnDelete() throws Exception {
        start(4);
        var instance = Ids.next();
        await(deploy(instance));
        eventually(() -> assertThat(usageWindows.size() > 1).isTrue());
        crash();
        start(4);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());
        await(delete(instance));

        var windows = new TreeMap<Instant, UsageWindow>();
        usageWindows.forEach(usageWindow -> windows.put(usageWindow.windowStart(), usageWindow));
        assertThat(usageWindows).allSatisfy(usageWindow -> assertThat(usageWindow.usageId())
                .as("one usage id per window, however often it is reported")
                .isEqualTo(windows.get(usageWindow.windowStart()).usageId()));
        var ends = windows.values().stream().map(UsageWindow::windowEnd).toList();
        assertThat(List.copyOf(windows.keySet()).subList(1, windows.size()))
                .as("no gap and no overlap, over a crash of the adapter")
                .isEqualTo(ends.subList(0, ends.size() - 1));
    }
}
