package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** When permissions cannot be confirmed, nothing is changed any more, until they can. */
class StalePermissionsTest {
    private static FaultyLink kafka;
    private static PlatformUnderTest platform;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        kafka = FaultyLink.toKafka(TestInfrastructure.shared().kafkaBootstrap());
        platform = new PlatformUnderTest(Map.of("SLIPWAY_AUTHZ_BUDGET_WRITES", "PT6S"), kafka::through);
    }

    @AfterAll
    static void stop() {
        platform.close();
        kafka.close();
    }

    private static void writesAreRefused() {
        eventually(() -> assertThat(
                        platform.launch("project_owner", "stale").send().text("code"))
                .isEqualTo("authz_stale"));
        platform.launch("project_owner", "stale").send().expect(503);
    }

    private static Answer writesAreTaken() {
        return eventuallyGet(
                () -> platform.launch("project_owner", "fresh").send().expect(202));
    }

    private static Answer read(String instance) {
        return platform.as("project_owner")
                .call("getAppInstance")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200);
    }

    @Test
    void writesAreRefusedAndReadsAnswered_whileKafkaIsAwayForLong() {
        var instance = writesAreTaken().text("id");

        kafka.cut();

        writesAreRefused();
        read(instance).expect(200);
        kafka.heal();
        read(writesAreTaken().text("id")).expect(200);
    }

    /** A report is a write too: it waits, and is neither applied on old permissions nor given up. */
    @Test
    void reportsWait_whileIamSendsNoHeartbeat() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            adapter.hold();
            var instance = writesAreTaken().text("id");
            eventually(() -> assertThat(read(instance).text("status")).isEqualTo("deploying"));

            platform.database().execute("ALTER TABLE iam.authz_revision RENAME TO away");
            writesAreRefused();
            adapter.release();
            var reported = eventuallyGet(() -> platform.events()
                    .where(seen -> seen.type().equals("runtime.report.running")
                            && seen.key().equals(instance))
                    .get(0));
            var longEnoughToGiveUp = Instant.now().plus(Duration.ofSeconds(5));
            eventually(() -> assertThat(Instant.now()).isAfter(longEnoughToGiveUp));
            assertThat(read(reported.key()).text("status")).isEqualTo("deploying");

            platform.database().execute("ALTER TABLE iam.away RENAME TO authz_revision");
            eventually(() -> assertThat(read(instance).text("status")).isEqualTo("running"));
            assertThat(platform.events().faults()).isEmpty();
        }
    }

    /** Restored from a backup, or taken over by a replica that had not heard of the last commits. */
    @Test
    void writesAreRefused_whileIamsDatabaseIsOlderThanWhatItTold() {
        writesAreTaken().expect(202);

        platform.database().execute("UPDATE iam.authz_revision SET revision = revision - 1");
        writesAreRefused();
        assertThat(platform.platform().frame().authz().isAheadOfIam()).isTrue();

        platform.database().execute("UPDATE iam.authz_revision SET revision = revision + 1");
        writesAreTaken().expect(202);
    }
}
