package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a repeated request has no second effect. */
class IdempotencyTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void create_isRejected_whenKeyWasUsedWithOtherBodyOrPath() {
        var first = create("tenant_owner", "first", "k-conflict").expect(202);

        var otherBody = create("tenant_owner", "second", "k-conflict").expect(409);
        var otherPath = platform.launchIn(DemoData.SIBLING_PROJECT, "tenant_owner", "first")
                .header("Idempotency-Key", "k-conflict")
                .send()
                .expect(409);

        assertThat(otherBody.text("code")).isEqualTo("idempotency_conflict");
        assertThat(otherPath.text("code")).isEqualTo("idempotency_conflict");
        assertThat(create("tenant_owner", "first", "k-conflict").expect(202).body())
                .isEqualTo(first.body());
        assertThat(instancesNamed("second")).isEqualTo("0");
    }

    @Test
    void create_storesNoReply_whenRejected() {
        create("project_viewer", "forbidden", "k-refused").expect(403);
        platform.launchIn(DemoData.OTHER_PROJECT, "project_owner", "foreign")
                .header("Idempotency-Key", "k-refused")
                .send()
                .expect(404);
        platform.launch("project_owner", "conflicting")
                .header("Idempotency-Key", "k-refused")
                .body(PlatformUnderTest.launchBody("conflicting")
                        .put("operator_service_account_id", DemoData.OTHER_OPERATOR.toString()))
                .send()
                .expect(409);

        var created = create("project_owner", "after refusals", "k-refused").expect(202);

        assertThat(created.text("display_name")).isEqualTo("after refusals");
    }

    @Test
    @Proves("C.02")
    void create_returnsStoredReply_whenKeyIsRepeated() {
        var key = "k".repeat(128);
        var first = create("project_owner", "again", key).expect(202);
        platform.instance("deleteAppInstance", "project_owner", first.text("id"))
                .send()
                .expect(202);

        var second = create("project_owner", "again", key).expect(202);

        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.header("Location"))
                .isEqualTo(first.header("Location"))
                .isNotBlank();
        assertThat(instancesNamed("again")).isEqualTo("1");
        create("project_owner", "another", key).expect(409);
    }

    @Test
    void create_isIndependent_whenOtherPrincipalUsesSameKey() {
        var owners = create("project_owner", "mine", "k-both").expect(202);
        var members = create("project_member", "mine", "k-both").expect(202);

        assertThat(members.text("id")).isNotEqualTo(owners.text("id"));
        assertThat(instancesNamed("mine")).isEqualTo("2");
    }

    @Test
    void create_launchesOnce_whenSentConcurrently() throws Exception {
        var answers = atOnce(20, () -> create("project_owner", "crowd", "k-crowd"));

        var ids = answers.stream()
                .map(apiResponse -> apiResponse.expect(202).text("id"))
                .distinct()
                .toList();
        assertThat(ids).hasSize(1);
        assertThat(instancesNamed("crowd")).isEqualTo("1");
        assertPublishedOnce(ids.get(0), "apps.instance.requested", "apps.instance.create");
    }

    @Test
    void delete_isAppliedOnce_whenRepeated() throws Exception {
        var id = create("project_owner", "doomed", "k-doomed").expect(202).text("id");

        var answers = atOnce(10, () -> platform.instance("deleteAppInstance", "project_owner", id)
                .header("Idempotency-Key", "k-delete")
                .send());
        var later = platform.instance("deleteAppInstance", "project_admin", id).send();

        assertThat(answers.stream()
                        .map(apiResponse -> apiResponse.expect(202).body())
                        .distinct())
                .hasSize(1);
        assertThat(later.expect(202).body()).isEqualTo(answers.get(0).body());
        assertThat(later.text("status")).isEqualTo("deleting");
        var other = create("project_owner", "spared", "k-spared").expect(202).text("id");
        platform.instance("deleteAppInstance", "project_owner", other)
                .header("Idempotency-Key", "k-delete")
                .send()
                .expect(409);
        assertThat(platform.instance("getAppInstance", "project_owner", other)
                        .send()
                        .text("status"))
                .isEqualTo("requested");
        assertThat(platform.database().query("SELECT sequence FROM instances.app_instances WHERE id = '" + id + "'"))
                .as("requested, deleting, and what became of the two operations")
                .isEqualTo("5");
        eventually(() -> assertThat(eventsOf(id, "apps.instance.deleting")).isEqualTo(1));
    }

    private static List<ApiResponse> atOnce(int many, Callable<ApiResponse> call) throws Exception {
        var threads = Executors.newFixedThreadPool(many);
        try {
            var ready = new CountDownLatch(many);
            var waiting = new ArrayList<java.util.concurrent.Future<ApiResponse>>();
            for (var i = 0; i < many; i++) {
                waiting.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return call.call();
                }));
            }
            var answers = new ArrayList<ApiResponse>();
            for (var answer : waiting) {
                answers.add(answer.get(60, TimeUnit.SECONDS));
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Asserts on a later record in the same partition, so that a duplicate would have been seen before. */
    private static void assertPublishedOnce(String id, String event, String action) {
        var later = create("project_owner", "later", UUID.randomUUID().toString())
                .expect(202)
                .text("id");
        eventually(() -> assertThat(auditsOf(later, action)).isEqualTo(1));
        assertThat(auditsOf(id, action)).isEqualTo(1);
        eventually(() -> assertThat(eventsOf(id, event)).isEqualTo(1));
    }

    private static long eventsOf(String id, String type) {
        return platform.events()
                .find(observedRecord -> observedRecord.type().equals(type)
                        && observedRecord.key().equals(id))
                .size();
    }

    private static long auditsOf(String id, String action) {
        return platform.events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                        && observedRecord.payload().path("target_id").asText().equals(id)
                        && observedRecord.payload().path("action").asText().equals(action))
                .size();
    }

    private static ApiResponse create(String user, String name, String key) {
        return platform.launch(user, name).header("Idempotency-Key", key).send();
    }

    private static String instancesNamed(String name) {
        return platform.database()
                .query("SELECT count(*) FROM instances.app_instances WHERE display_name = '" + name + "'");
    }
}
