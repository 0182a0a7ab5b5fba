package dev.slipway.processadapter;

import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.Set;

import static dev.slipway.processadapter.ProcessTestSupport.await;
import static dev.slipway.processadapter.ProcessTestSupport.pids;
import static dev.slipway.processadapter.ProcessTestSupport.read;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests deployment, supervision and deletion of processes. */
class ProcessAdapterTest extends ProcessAdapterTestBase {
    @Test
    void deploy_startsOneProcess_whenRepeated() throws Exception {
        start(5);
        var instance = Ids.next();

        var url = url(await(deploy(instance)));
        var process = pids(instance);
        var again = url(await(deploy(instance)));

        var response = Json.parseStoredObject(read(url + "/some/path"));
        assertThat(response.path("app_instance_id").asText()).isEqualTo(instance.toString());
        assertThat(response.path("path").asText()).isEqualTo("/some/path");
        assertThat(response.path("method").asText()).isEqualTo("GET");
        assertThat(response.path("message").asText()).isEqualTo("say \"hi\"\n1");
        assertThat(again).isEqualTo(url);
        assertThat(pids(instance)).isEqualTo(process).hasSize(1);
    }

    @Test
    void deploy_replacesProcess_whenGenerationIsNew() throws Exception {
        start(5);
        var instance = Ids.next();
        await(deploy(instance));
        var process = pids(instance);

        var url = url(await(deploy(instance, 2, manifest("echo", 60), never.future())));

        assertThat(Json.parseStoredObject(read(url)).path("message").asText()).endsWith("2");
        assertThat(pids(instance)).hasSize(1).isNotEqualTo(process);
    }

    /** Tenants read details, reasons and messages. */
    @Test
    void reports_nameNeitherPathsNorProcesses() throws Exception {
        start(5);
        var instance = Ids.next();

        var running = await(deploy(instance, newMember()));
        var failed = await(deploy(Ids.next(), 1, manifest("quits", 60), never.future()));

        assertThat(memberStates).isNotEmpty();
        var told = running + " " + failed + " " + memberStates + " " + messages;
        assertThat(told).contains("rlimits").doesNotContain(home.toString(), System.getProperty("user.home"));
        assertThat(pids(instance)).isNotEmpty().allSatisfy(pid -> assertThat(told)
                // A port, after the address, can have the same number.
                .doesNotContainPattern("(?<!\\d:)\\b" + pid + "\\b"));
    }

    @Test
    void deploy_fails_whenProfileIsUnknown() throws Exception {
        start(5);
        var instance = Ids.next();

        var outcome = await(deploy(instance, 1, manifest("rm -rf /", 60), never.future()));

        assertThat(outcome).isInstanceOfSatisfying(Failed.class, failed -> assertThat(failed.reason())
                .contains("\"rm -rf /\"", "echo"));
        assertThat(home.resolve("instances").resolve(instance.toString())).doesNotExist();
    }

    @Test
    void deploy_failsAndReleasesItsSlot_whenProcessExitsOrIsNeverHealthy() throws Exception {
        start(1);
        var quits = Ids.next();
        var stubborn = Ids.next();

        assertThat(await(deploy(quits, 1, manifest("quits", 60), never.future())))
                .isEqualTo(new Failed("the process exited before it was healthy"));
        assertThat(await(deploy(stubborn, 1, manifest("stubborn", 1), never.future())))
                .isEqualTo(new Failed("the process was not healthy within 1 s"));

        assertThat(pids(stubborn)).isEmpty();
        assertThat(url(await(deploy(Ids.next())))).isNotEmpty();
        assertThat(messages).isEmpty();
    }

    @Test
    void start_adoptsProcess_whenItSurvivedTheAdapter() throws Exception {
        start(5);
        var instance = Ids.next();
        var url = url(await(deploy(instance)));
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
    void start_relaunchesProcess_whenItExitedMeanwhile() throws Exception {
        start(5);
        var instance = Ids.next();
        await(deploy(instance));
        crash();
        kill(instance);
        eventually(() -> assertThat(pids(instance).isEmpty()).isTrue());

        start(5);
        eventually(() -> assertThat(!reported.isEmpty()).isTrue());

        assertThat(read(url(reported.get(0)))).contains(instance.toString());
        assertThat(pids(instance)).hasSize(1);
    }

    @Test
    void checkProcesses_relaunchesThreeTimes_whenProcessExits() throws Exception {
        start(1);
        var instance = Ids.next();
        await(deploy(instance));

        for (var i = 1; i <= 3; i++) {
            var relaunched = i;
            kill(instance);
            eventually(() -> assertThat(reported.size() == relaunched).isTrue());
            assertThat(read(url(reported.get(i - 1)))).contains(instance.toString());
        }
        kill(instance);
        eventually(() -> assertThat(reported.size() == 4).isTrue());

        assertThat(reported.get(3)).isInstanceOf(Failed.class);
        assertThat(url(await(deploy(Ids.next())))).as("its slot is free").isNotEmpty();
        assertThat(pids(instance)).isEmpty();
    }

    @Test
    void delete_removesProcessesAndDirectory() throws Exception {
        start(5);
        var instance = Ids.next();
        await(deploy(instance));

        assertThat(await(delete(instance))).isEqualTo(new Deleted());

        assertThat(pids(instance)).isEmpty();
        assertThat(home.resolve("instances")).isEmptyDirectory();
        assertThat(await(delete(instance))).as("repeated").isEqualTo(new Deleted());
        assertThat(await(delete(Ids.next()))).as("never deployed").isEqualTo(new Deleted());
        assertThat(reported).isEmpty();
    }

    @Test
    void deploy_reportsBlocker_whenNoSlotIsFree() throws Exception {
        start(1);
        var first = Ids.next();
        await(deploy(first));
        var cancel = Promise.<Void>promise();
        var unwanted = deploy(Ids.next(), 1, manifest("echo", 60), cancel.future());
        var waiting = deploy(Ids.next());
        eventually(() -> assertThat(messages.size() == 2).isTrue());
        assertThat(messages).containsOnly("waiting for a free slot: 1 of 1 in use");

        context.runOnContext(ignored -> cancel.complete());
        assertThat(await(unwanted)).isInstanceOf(Canceled.class);
        assertThat(waiting.isComplete()).isFalse();
        await(delete(first));

        assertThat(url(await(waiting))).isNotEmpty();
    }

    @Test
    void stop_terminatesProcesses_andNextStartLaunchesThem() throws Exception {
        start(5);
        var one = Ids.next();
        var two = Ids.next();
        await(deploy(one));
        await(deploy(two));

        await(on(() -> adapter.stop()));
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
    void listInstances_returnsInstancesWithADirectory() throws Exception {
        start(4);
        var instance = Ids.next();
        await(deploy(instance));

        assertThat(await(on(() -> adapter.listInstances(Set.of())))).containsExactly(instance);
    }
}
