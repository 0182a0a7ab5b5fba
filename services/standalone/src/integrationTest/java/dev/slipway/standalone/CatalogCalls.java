package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.ObservedRecord;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the catalog tests, as administrators. */
final class CatalogCalls {
    private final PlatformUnderTest platform;
    private final ApiClient admin;

    CatalogCalls(PlatformUnderTest platform) {
        this.platform = platform;
        this.admin = platform.as("platform_superadmin");
    }

    String launchability(String slug, UUID project) {
        var listed = platform.as("tenant_owner")
                .call("listApps")
                .query("q=" + slug)
                .header("X-Project-ID", project.toString())
                .send()
                .expect(200)
                .body()
                .path("items")
                .get(0);
        return listed.path("launchable").asText() + " "
                + listed.path("not_launchable_reason").asText();
    }

    void assertInvisible(String slug, String version) {
        var viewer = platform.as("project_viewer");
        assertThat(version(viewer, "getAppVersion", slug, version)
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("app_version_not_found");
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().startsWith("apps.version.")
                                && observedRecord
                                        .payload()
                                        .path("app_slug")
                                        .asText()
                                        .equals(slug)
                                && observedRecord
                                        .payload()
                                        .path("app_version")
                                        .asText()
                                        .equals(version)))
                .isEmpty();
    }

    void publishApp(String slug, String category, String name) {
        admin.call("createApp")
                .body(app(slug, "apps").put("category", category).put("display_name", name))
                .send()
                .expect(201);
        register(slug, manifest(slug, "1.0.0")).expect(201);
        version(admin, "publishAppVersion", slug, "1.0.0").send().expect(200);
    }

    ApiResponse register(String slug, JsonNode manifest) {
        return admin.call("registerAppVersion")
                .path("app_slug", slug)
                .body(manifestBody(manifest))
                .send();
    }

    ApiResponse replace(String slug, String version, JsonNode manifest, @Nullable String expected) {
        var body = manifestBody(manifest);
        if (expected != null) {
            body.put("expected_digest", expected);
        }
        return version(admin, "replaceDraftManifest", slug, version).body(body).send();
    }

    ApiResponse put(String kind, String id, ObjectNode body) {
        return admin.call("putRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .body(entry(body))
                .send();
    }

    ApiResponse put(String kind, String id, ObjectNode body, String etag) {
        return admin.call("putRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .header("If-Match", etag)
                .body(entry(body))
                .send();
    }

    ApiResponse move(String kind, String id, String lifecycle) {
        return admin.call("moveRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .body(Json.object().put("lifecycle", lifecycle))
                .send();
    }

    ApiResponse get(String operation, String kind, String id) {
        return platform.as("project_viewer")
                .call(operation)
                .path("kind", kind)
                .path("entry_id", id)
                .send();
    }

    ApiResponse search(String query) {
        return platform.as("project_viewer")
                .call("listApps")
                .query(query)
                .send()
                .expect(200);
    }

    List<ObservedRecord> audits(String action, String target) {
        return platform.events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                        && observedRecord.payload().path("action").asText().equals(action)
                        && observedRecord.payload().path("target_id").asText().equals(target)
                        && observedRecord.payload().path("result").asText().equals("success"));
    }

    static ObjectNode policyKey(String type) {
        var body = Json.object().put("product_id", "apps").put("type", type);
        body.putArray("scope").add("project");
        return body;
    }

    static ObjectNode app(String slug, String product) {
        return Json.object()
                .put("slug", slug)
                .put("display_name", "App " + slug)
                .put("category", "tests")
                .put("publisher", "Test")
                .put("product_id", product);
    }

    /** Returns the demo's manifest for another app and version. */
    static ObjectNode manifest(String slug, String version) {
        return Json.parseStoredObject(DemoData.manifest()).put("app", slug).put("version", version);
    }

    static ObjectNode manifestBody(JsonNode manifest) {
        var body = Json.object();
        body.set("manifest", manifest);
        return body;
    }

    static ObjectNode entry(ObjectNode body) {
        var entry = Json.object();
        entry.set("body", body);
        return entry;
    }

    static Call version(ApiClient caller, String operation, String slug, String version) {
        return caller.call(operation).path("app_slug", slug).path("version", version);
    }

    static List<String> problems(ApiResponse apiResponse) {
        return StreamSupport.stream(apiResponse.body().path("problems").spliterator(), false)
                .map(problem -> problem.path("pointer").asText() + " "
                        + problem.path("code").asText())
                .toList();
    }

    static List<String> fields(ApiResponse apiResponse) {
        return texts(apiResponse.body().at("/details/fields"), "field");
    }

    static List<String> texts(JsonNode items, String field) {
        return StreamSupport.stream(items.spliterator(), false)
                .map(item -> item.path(field).asText())
                .toList();
    }
}
