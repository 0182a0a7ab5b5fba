package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient.ApiResponse;
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

/** Tests that writes are refused while permissions are stale. */
class StalePermissionsTest {
    private static final Duration BUDGET = Duration.ofSeconds(6);

    private static FaultyLink kafka;
    private static PlatformUnderTest platform;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        kafka = FaultyLink.toKafka(TestInfrastructure.shared().kafkaBootstrap());
        platform = new PlatformUnderTest(Map.of("SLIPWAY_AUTHZ_BUDGET_WRITES", BUDGET.toString()), kafka::through);
    }

    @AfterAll
    static void stop() {
        platform.close();
        kafka.close();
    }

    private static void assertWritesRejected() {
        eventually(() -> assertThat(authzAge()).isGreaterThan(BUDGET));
        assertThat(platform.launch("project_owner", "stale").send().expect(503).text("code"))
                .isEqualTo("authz_stale");
    }

    private static ApiResponse assertWriteAccepted() {
        eventually(() -> assertThat(authzAge()).isLessThan(BUDGET.dividedBy(2)));
        platform.awaitReplication();
        return platform.launch("project_owner", "fresh").send().expect(202);
    }

    private static Duration authzAge() {
        return platform.platform().serviceContext().authz().age(Instant.now());
    }

    private static ApiResponse read(String instance) {
        return platform.as("project_owner")
                .call("getAppInstance")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200);
    }

    @Test
    void write_isRejected_whenKafkaIsUnavailableForLong() {
        var instance = assertWriteAccepted().text("id");

        kafka.cut();

        assertWritesRejected();
        read(instance).expect(200);
        kafka.heal();
        read(assertWriteAccepted().text("id")).expect(200);
    }

    /** A report waits while permissions are stale; it is neither applied nor discarded. */
    @Test
    void report_waits_whenIamSendsNoHeartbeat() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            adapter.hold();
            var instance = assertWriteAccepted().text("id");
            eventually(() -> assertThat(read(instance).text("status")).isEqualTo("deploying"));

            platform.database().execute("ALTER TABLE iam.authz_revision RENAME TO away");
            assertWritesRejected();
            adapter.release();
            var reported = eventuallyGet(() -> platform.events()
                    .find(observedRecord -> observedRecord.type().equals("runtime.report.running")
                            && observedRecord.key().equals(instance))
                    .get(0));
            var longEnoughToGiveUp = Instant.now().plus(Duration.ofSeconds(5));
            eventually(() -> assertThat(Instant.now()).isAfter(longEnoughToGiveUp));
            assertThat(read(reported.key()).text("status")).isEqualTo("deploying");

            platform.database().execute("ALTER TABLE iam.away RENAME TO authz_revision");
            eventually(() -> assertThat(read(instance).text("status")).isEqualTo("running"));
            assertThat(platform.events().violations()).isEmpty();
        }
    }

    /** A database that was restored from a backup, or failed over to a stale replica. */
    @Test
    void write_isRejected_whenIamDatabaseIsOlderThanPublishedRevision() {
        assertWriteAccepted().expect(202);

        platform.database().execute("UPDATE iam.authz_revision SET revision = revision - 1");
        assertWritesRejected();
        assertThat(platform.platform().serviceContext().authz().isAheadOfIam()).isTrue();

        platform.database().execute("UPDATE iam.authz_revision SET revision = revision + 1");
        assertWriteAccepted().expect(202);
    }
}
