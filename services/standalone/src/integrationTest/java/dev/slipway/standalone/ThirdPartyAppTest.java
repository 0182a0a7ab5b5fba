package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static dev.slipway.standalone.ArtifactCalls.manifestWith;
import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static dev.slipway.standalone.CatalogCalls.problems;
import static org.assertj.core.api.Assertions.assertThat;

/** The steps with which a third party publishes an app, with public operations only. */
class ThirdPartyAppTest {
    private static ArtifactFixture fixture;
    private static DistributionServer registry;
    private static PlatformUnderTest platform;
    private static ArtifactCalls calls;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        fixture = ArtifactFixture.start(directory);
        registry = fixture.registry();
        platform = fixture.platform();
        calls = fixture.calls();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    @Proves({"1.01", "3.18", "2.69"})
    void thirdParty_publishesAndLaunchesAnApp() {
        var admin = platform.as("platform_superadmin");
        var product = Json.object();
        product.putObject("body").put("display_name", "Third").put("owner", "third inc");
        admin.call("putRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "third")
                .body(product)
                .send()
                .expect(200);
        admin.call("moveRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "third")
                .body(Json.object().put("lifecycle", "active"))
                .send()
                .expect(200);
        admin.call("createApp")
                .body(Json.object()
                        .put("slug", "third-app")
                        .put("display_name", "Third app")
                        .put("category", "serving")
                        .put("publisher", "third inc")
                        .put("product_id", "third"))
                .send()
                .expect(201);
        var digest = calls.push("third-app", "the third party's bundle");
        var draft = manifestWith(digest).put("app", "third-app").put("version", "1.0.0");
        ((ObjectNode) draft.at("/artifacts/0")).put("reference", "oci://" + registry.host() + "/third-app");
        var registered = admin.call("registerAppVersion")
                .path("app_slug", "third-app")
                .body(manifestBody(draft))
                .send()
                .expect(201);
        assertThat(problems(registered)).containsExactly("/artifacts/0/digest artifact_untrusted");
        assertThat(version("publishAppVersion").send().expect(409).text("code")).isEqualTo("manifest_invalid");

        var artifact = calls.register("project_owner", calls.body("third-app", digest))
                .expect(201)
                .text("id");
        assertThat(calls.verify(artifact).expect(200).text("trust_state")).isEqualTo("failed_verification");
        assertThat(calls.promote(artifact, "dev").status()).isEqualTo(409);
        calls.sign("third-app", digest);
        assertThat(calls.verify(artifact).expect(200).text("trust_state")).isEqualTo("verified");
        List.of("dev", "test", "staging", "prod")
                .forEach(channel -> calls.promote(artifact, channel).expect(200));
        version("publishAppVersion").send().expect(200);
        assertThat(seenByTheProject()).isEqualTo("false app_not_entitled");

        var entitled = entitle("{'enabled': true}", null);
        assertThat(seenByTheProject()).isEqualTo("true ");
        platform.awaitReplication();
        launchThirdApp().expect(202);

        // A published version stays published; its sources are checked again at each launch.
        var global = new PolicyCalls(platform).global();
        global.replace("{'artifact_source_allowlist': ['" + registry.host() + "', 'elsewhere.example.com']}", "{}");
        try {
            var narrowed = entitle(
                    "{'enabled': true, 'policy_overrides': {'artifact_source_allowlist': ['elsewhere.example.com']}}",
                    entitled.header("ETag"));
            assertThat(narrowed.header("ETag")).isNotEqualTo(entitled.header("ETag"));
            assertThat(seenByTheProject()).isEqualTo("false source_not_allowed");
            platform.awaitReplication();
            assertThat(launchThirdApp().expect(403).text("message"))
                    .contains("oci://" + registry.host() + "/third-app", "by the entitlement level");
        } finally {
            global.replace("{}", "{}");
        }
    }

    private static ApiResponse entitle(String body, @Nullable String etag) {
        var call = platform.as("tenant_admin")
                .call("putAppEntitlement")
                .path("project_id", DemoData.PROJECT)
                .path("app_slug", "third-app")
                .body(PolicyCalls.json(body));
        return (etag == null ? call : call.header("If-Match", etag)).send().expect(200);
    }

    private static ApiResponse launchThirdApp() {
        return platform.as("project_member")
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(Json.object()
                        .put("app_slug", "third-app")
                        .put("version", "1.0.0")
                        .put("display_name", "the first of many"))
                .send();
    }

    private static ApiClient.Call version(String operation) {
        return platform.as("platform_superadmin")
                .call(operation)
                .path("app_slug", "third-app")
                .path("version", "1.0.0");
    }

    private static String seenByTheProject() {
        var seen = platform.as("project_viewer")
                .call("getAppVersion")
                .path("app_slug", "third-app")
                .path("version", "1.0.0")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200)
                .body();
        return seen.path("launchable").asText() + " "
                + seen.path("not_launchable_reason").asText("");
    }
}
