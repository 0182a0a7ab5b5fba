package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.RegistryPusher;

/** Registries, apps, versions and artifacts. */
final class CatalogTour {
    private static final String ADMIN = "platform_superadmin";
    private static final String REPOSITORY = "slipway/apps/" + DemoData.PROJECT + "/tour";

    private final TourRecorder tour;
    private final DistributionServer registry;
    private final ArtifactSigner signer;

    CatalogTour(TourRecorder tour, DistributionServer registry, ArtifactSigner signer) {
        this.tour = tour;
        this.registry = registry;
        this.signer = signer;
    }

    void run() {
        tour.chapter("07-registries");
        registries();
        tour.chapter("08-catalog");
        catalog();
        tour.chapter("09-artifacts");
        tour.set("project_id", DemoData.PROJECT);
        artifacts();
    }

    private void registries() {
        tour.awaitTrue(
                "SELECT (SELECT count(*) FROM iam.actions) = (SELECT count(*) FROM catalog.registry_entries WHERE kind = 'scope')");
        for (var kind : new String[] {"product", "usage_unit", "policy", "artifact_type", "scope"}) {
            tour.set("kind", kind);
            tour.step("project_viewer", "listRegistryEntries").query("limit=3").send();
        }
        tour.set("kind", "usage_unit");
        tour.set("entry_id", "tour_visit");
        var body =
                "{'body': {'product_id': 'apps', 'owner': 'metering', 'display_name': 'Visits', 'unit': '1', 'precision': 0, 'rating_category': 'web'}}";
        tour.call(ADMIN, "putRegistryEntry", "{'body': {'unit': '1'}}");
        tour.call("project_viewer", "getRegistryEntry");
        tour.call(ADMIN, "putRegistryEntry", body);
        tour.call(ADMIN, "moveRegistryEntry", "{'lifecycle': 'deprecated'}");
        tour.call(ADMIN, "moveRegistryEntry", "{'lifecycle': 'active'}");
        tour.call(ADMIN, "putRegistryEntry", body);
        tour.step(ADMIN, "putRegistryEntry")
                .header("If-Match", "\"1\"")
                .body(body)
                .send();
        var etag = tour.call("project_viewer", "getRegistryEntry").header("ETag");
        tour.step(ADMIN, "putRegistryEntry")
                .header("If-Match", etag)
                .body(body.replace("Visits", "All visits"))
                .send();
        tour.call("project_viewer", "listRegistryEntryVersions");
        tour.call("project_viewer", "putRegistryEntry", body);
        tour.set("kind", "nonsense");
        tour.call("project_viewer", "listRegistryEntries");
    }

    private void catalog() {
        tour.set("app_slug", "tour");
        tour.set("version", "1.0.0");
        tour.call(
                ADMIN,
                "createApp",
                "{'slug': 'tour', 'display_name': 'Tour', 'category': 'tests', 'publisher': 'Test', 'product_id': 'apps'}");
        tour.call(
                ADMIN,
                "createApp",
                "{'slug': 'tour', 'display_name': 'Tour', 'category': 'tests', 'publisher': 'Test', 'product_id': 'apps'}");
        tour.call(
                "project_owner",
                "createApp",
                "{'slug': 'mine', 'display_name': 'Mine', 'category': 'tests', 'publisher': 'Test', 'product_id': 'apps'}");
        tour.call(ADMIN, "updateApp", "{'display_name': 'Guided tour'}");
        tour.call("project_viewer", "getManifestSchema");
        tour.step(ADMIN, "validateManifest")
                .body(wrapped(manifest("1.0.0").put("runtime_backend", "nothing")))
                .send();
        tour.step(ADMIN, "validateManifest").body(wrapped(manifest("1.0.0"))).send();
        tour.step(ADMIN, "registerAppVersion").body(wrapped(manifest("1.0.0"))).send();
        tour.step(ADMIN, "registerAppVersion").body(wrapped(manifest("1.0.0"))).send();
        tour.call("project_viewer", "getAppVersion");
        tour.step(ADMIN, "replaceDraftManifest")
                .body(wrapped(manifest("1.0.0").put("summary", "Another.")))
                .send();
        tour.call(ADMIN, "publishAppVersion");
        tour.call(ADMIN, "publishAppVersion");
        tour.step(ADMIN, "replaceDraftManifest")
                .body(wrapped(manifest("1.0.0")))
                .send();
        tour.call("project_viewer", "listApps");
        tour.step("project_viewer", "listApps")
                .query("q=echo")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send();
        tour.step("project_viewer", "listApps")
                .query("q=tour")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send();
        tour.call("project_viewer", "getApp");
        tour.call("project_viewer", "listAppVersions");
        tour.call("project_viewer", "getAppVersion");
        tour.call("project_viewer", "getLaunchSchema");
        tour.call(ADMIN, "deprecateAppVersion", "{}");
        tour.call(ADMIN, "disableAppVersion");
        tour.call(ADMIN, "retireAppVersion");
        tour.call(ADMIN, "publishAppVersion");
        tour.step(ADMIN, "listVersionsForAdmin").query("app_slug=tour").send();
        tour.call(ADMIN, "getVersionForAdmin");
        tour.call("project_owner", "getVersionForAdmin");
        tour.set("version", "9.9.9");
        tour.call("project_viewer", "getAppVersion");
    }

    private void artifacts() {
        tour.step("project_viewer", "getAppRegistry")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send();
        tour.call("project_owner", "createPublishIntent", "{'registry': 'shared', 'repository': 'library/echo'}");
        var intent = tour.call(
                "project_owner",
                "createPublishIntent",
                "{'registry': 'shared', 'repository': '" + REPOSITORY + "', 'ttl_seconds': 120}");
        var pusher = new RegistryPusher(
                registry.url(), intent.body().at("/credential/token").asText());
        var digest = pusher.image(REPOSITORY, "v1", "content of the tour");
        tour.step("project_owner", "registerArtifact")
                .body(artifact("sha256:" + "0".repeat(64)))
                .send();
        tour.step("project_owner", "registerArtifact").body(artifact(digest)).sendAndSet("artifact_id");
        tour.step("project_owner", "registerArtifact").body(artifact(digest)).send();
        tour.call("project_viewer", "listArtifacts");
        tour.call("project_viewer", "getArtifact");
        tour.call("project_owner", "promoteArtifact", "{'channel': 'dev'}");
        tour.call("project_owner", "verifyArtifact");
        var payload = ArtifactSigner.payload(REPOSITORY, digest);
        pusher.signature(REPOSITORY, digest, payload, signer.sign(payload));
        tour.call("project_owner", "verifyArtifact");
        tour.call("tenant_owner", "promoteArtifact", "{'channel': 'staging'}");
        tour.call("tenant_owner", "promoteArtifact", "{'channel': 'dev'}");
        tour.call("project_owner", "createPullIntent", "{'artifact_id': '$artifact_id$'}");
        tour.call("project_owner", "deprecateArtifact", "{'reason': 'superseded'}");
        tour.call("project_owner", "retireArtifact", "{'reason': 'superseded'}");
        tour.call("tenant_owner", "revokeArtifact", "{'reason': 'compromised'}");
        tour.step(ADMIN, "adminRevokeArtifact")
                .header("X-Break-Glass-Reason", "The tenant asked for help")
                .body("{'reason': 'compromised'}")
                .send();
        tour.call("project_viewer", "revokeArtifact", "{'reason': 'compromised'}");
        tour.call("project_viewer", "listArtifactHistory");
    }

    private ObjectNode artifact(String digest) {
        var body = Json.object()
                .put("artifact_type", "app_bundle")
                .put("artifact_kind", "oci")
                .put("digest", digest);
        body.putObject("source").put("source_type", "oci").put("uri", "oci://" + registry.host() + "/" + REPOSITORY);
        return body;
    }

    private static ObjectNode manifest(String version) {
        return Json.parseStoredObject(DemoData.manifest()).put("app", "tour").put("version", version);
    }

    private static ObjectNode wrapped(ObjectNode manifest) {
        var body = Json.object();
        body.set("manifest", manifest);
        return body;
    }
}
