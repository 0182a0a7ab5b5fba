package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends input of authenticated attackers that is small on the wire, or harmful where it is shown. */
class HostileInputTest {
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
    void launchConfig_isTooLarge_whenItsNumbersAreLongWrittenOut() {
        var body = Json.text(PlatformUnderTest.launchBody("numbers"));
        var config = ",\"config\":{\"n\":[" + "1e399,".repeat(99) + "1]}}";

        var response = platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .raw(bytes(body.substring(0, body.length() - 1) + config), "application/json")
                .send();

        assertInvalid(response, "/config", "is larger than 32 KiB");
    }

    @Test
    void operationInput_isTooLarge_whenItsNumbersAreLongWrittenOut() {
        var body = "{\"operation\":\"queue.submit\",\"input\":{\"n\":[" + "1e399,".repeat(199) + "1]}}";

        var response = platform.instance(
                        "runInstanceOperation", "project_viewer", Ids.next().toString())
                .raw(bytes(body), "application/json")
                .send();

        assertInvalid(response, "/input", "is larger than 64 KiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"createProjectRoleBinding", "createOrganizationRoleBinding"})
    void roleBinding_isRejected_withATimeThatNoServiceCanParse(String operationId) {
        var body = Json.object()
                .put("role", operationId.contains("Project") ? "project_viewer" : "tenant_admin")
                .put("user_id", Ids.next().toString())
                .put("expires_at", "2027-01-01 00:00:00Z");
        var call = platform.as("tenant_owner").call(operationId).body(body);

        var response = (operationId.contains("Project")
                        ? call.path("project_id", DemoData.PROJECT)
                        : call.path("org_id", DemoData.ORG))
                .send();

        assertInvalid(response, "/expires_at", "is not a valid date-time");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u001b[31mb", "a\r\nb", "\u202egpj.exe", "a\u2066b"})
    void displayName_isRejected_withControlOrBidirectionalCharacters(String name) {
        var response = platform.launch("project_owner", name).send();

        assertInvalid(
                response,
                "/display_name",
                "must not have control characters, line breaks or bidirectional formatting characters");
    }

    @Test
    void tokenResponse_isNotStored() {
        var credential = Json.object()
                .put("adapter_id", DemoData.ADAPTER.toString())
                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET);

        var granted = platform.anonymous()
                .call("exchangeAdapterToken")
                .body(credential)
                .send()
                .expect(200);
        var refused = platform.anonymous()
                .call("exchangeAdapterToken")
                .body(credential.deepCopy().put("adapter_secret", "wrong"))
                .send()
                .expect(401);

        assertThat(granted.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
    }

    private static void assertInvalid(ApiResponse response, String field, String problem) {
        var found = response.expect(400).body().at("/details/fields");
        assertThat(response.text("code")).isEqualTo("validation_error");
        assertThat(found.findValuesAsText("field")).contains(field);
        assertThat(found.findValuesAsText("problem")).contains(problem);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
