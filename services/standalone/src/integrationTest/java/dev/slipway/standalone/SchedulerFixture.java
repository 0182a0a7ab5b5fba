package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.SimulatedAdapter;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** A third-party scheduler: a product, an app, versions and adapters, created through public operations. */
record SchedulerFixture(PlatformUnderTest platform) {
    static final String APP = "acme-grid";
    static final String PRODUCT = "acme";

    /** The declared operations and their actions. */
    static final Map<String, String> OPERATIONS = operations();

    private static Map<String, String> operations() {
        var all = new LinkedHashMap<String, String>();
        all.put("catalog.list", "scheduler.catalog.read");
        all.put("cluster.show", "scheduler.instance.read");
        all.put("cluster.add", "scheduler.instance.create");
        all.put("cluster.resize", "scheduler.instance.update");
        all.put("cluster.drop", "scheduler.instance.delete");
        all.put("queue.list", "scheduler.queue.read");
        all.put("queue.submit", "scheduler.queue.submit");
        all.put("queue.cancel", "scheduler.queue.cancel");
        all.put("node.list", "scheduler.node.read");
        List.of("node.drain", "node.cordon", "node.uncordon", "node.label")
                .forEach(name -> all.put(name, "scheduler.node.operate"));
        return all;
    }

    /** A registered third-party adapter. */
    record RegisteredAdapter(UUID id, String secret, String backend) {}

    private ApiClient admin() {
        return platform.as("platform_superadmin");
    }

    /** Registers the product and the app without publishing a version. */
    void registerAll() {
        var product = Json.object();
        product.putObject("body").put("display_name", "Acme").put("owner", "acme inc");
        entry("putRegistryEntry", "product", PRODUCT, product).expect(200);
        entry("moveRegistryEntry", "product", PRODUCT, Json.object().put("lifecycle", "active"))
                .expect(200);
        admin().call("createApp")
                .body(Json.object()
                        .put("slug", APP)
                        .put("display_name", "Acme Grid")
                        .put("category", "schedulers")
                        .put("publisher", "acme inc")
                        .put("product_id", PRODUCT))
                .send()
                .expect(201);
    }

    ApiResponse entry(String operation, String kind, String id, ObjectNode body) {
        return admin().call(operation)
                .path("kind", kind)
                .path("entry_id", id)
                .body(body)
                .send();
    }

    ApiResponse draft(ObjectNode manifest) {
        var body = Json.object();
        body.set("manifest", manifest);
        return admin().call("registerAppVersion")
                .path("app_slug", APP)
                .body(body)
                .send();
    }

    ApiResponse publish(String version) {
        return admin().call("publishAppVersion")
                .path("app_slug", APP)
                .path("version", version)
                .send();
    }

    void publishVersion(String version, String backend) {
        draft(manifest(version, backend)).expect(201);
        publish(version).expect(200);
    }

    static ObjectNode manifest(String version, String backend) {
        var manifest = Json.parseStoredObject(DemoData.manifest())
                .put("app", APP)
                .put("version", version)
                .put("runtime_backend", backend)
                .put("summary", "Queues work, and runs it on nodes.");
        manifest.set("components", Json.parseStoredObject("""
                {"all": [{"key": "controller", "min": 1, "max": 1},
                         {"key": "worker", "min": 0, "max": 3, "default": 1, "operations": ["cordon", "uncordon", "label"]}]}
                """).path("all"));
        manifest.set("required_actions", Json.array().add("apps.instance.read").add("apps.instance.report"));
        ((ObjectNode) manifest.at("/endpoints/0")).put("component", "controller");
        var operations = manifest.putArray("operations");
        OPERATIONS.forEach((name, action) ->
                operations.addObject().put("name", name).put("action", action).put("deadline_seconds", 60));
        return manifest;
    }

    RegisteredAdapter register(String backend) {
        var id = admin().call("createAdapter")
                .body(Json.object().put("runtime_backend", backend).put("display_name", "Acme's for " + backend))
                .send()
                .expect(201)
                .text("id");
        var secret = admin().call("createAdapterCredential")
                .path("adapter_id", id)
                .body(Json.object())
                .send()
                .expect(201)
                .text("secret");
        return new RegisteredAdapter(UUID.fromString(id), secret, backend);
    }

    SimulatedAdapter start(RegisteredAdapter registeredAdapter, Path directory) {
        return SimulatedAdapter.start(
                platform.adapterIn(
                        directory.resolve(registeredAdapter.backend), registeredAdapter.id, registeredAdapter.secret),
                registeredAdapter.backend);
    }

    Call entitlement(UUID project, String operation) {
        return platform.as(ownerOf(project))
                .call(operation)
                .path("project_id", project)
                .path("app_slug", APP);
    }

    /** Enables or disables the app in a project. */
    void entitle(UUID project, boolean enabled, String overlay) {
        var body = Json.object().put("enabled", enabled);
        body.set("policy_overrides", PolicyCalls.json(overlay));
        var there = entitlement(project, "getAppEntitlement").send();
        var put = entitlement(project, "putAppEntitlement").body(body);
        (there.status() == 200 ? put.header("If-Match", there.header("ETag")) : put)
                .send()
                .expect(200);
        eventually(() -> assertThat(platform.database()
                        .query("SELECT e.enabled FROM instances.project_app_entitlements e JOIN instances.app_catalog a"
                                + " ON a.id = e.app_id WHERE a.slug = '" + APP + "' AND e.project_id = '" + project
                                + "' AND e.policy_overrides = '" + PolicyCalls.json(overlay) + "'"))
                .isEqualTo(enabled ? "t" : "f"));
    }

    static String ownerOf(UUID project) {
        return project.equals(DemoData.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
    }

    Call launch(ApiClient caller, UUID project, String app, String version) {
        return caller.call("createAppInstance")
                .path("project_id", project)
                .body(Json.object()
                        .put("app_slug", app)
                        .put("version", version)
                        .put("display_name", app + " " + version));
    }

    /** Launches an instance and waits until it runs. */
    String launchRunning(UUID project, String app, String version) {
        var owner = platform.as(ownerOf(project));
        var id = launch(owner, project, app, version).send().expect(202).text("id");
        awaitStatus(project, id, "running");
        return id;
    }

    void awaitStatus(UUID project, String id, String status) {
        eventually(() -> assertThat(instanceCall(platform.as(ownerOf(project)), "getAppInstance", project, id)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo(status));
    }

    static Call instanceCall(ApiClient caller, String operation, UUID project, String id) {
        return caller.call(operation).path("project_id", project).path("app_instance_id", id);
    }

    static ApiResponse run(ApiClient caller, UUID project, String id, String operation) {
        return instanceCall(caller, "runInstanceOperation", project, id)
                .body(Json.object().put("operation", operation))
                .send();
    }

    /** Waits until an operation in the demo project has ended. */
    @CanIgnoreReturnValue
    JsonNode awaitEnd(ApiResponse accepted) {
        return eventuallyGet(() -> {
            var now = instanceCall(
                            platform.as("tenant_owner"),
                            "getInstanceOperation",
                            DemoData.PROJECT,
                            accepted.expect(202).text("app_instance_id"))
                    .path("operation_id", accepted.text("id"))
                    .send()
                    .expect(200)
                    .body();
            assertThat(now.path("status").asText()).isIn("succeeded", "failed", "canceled");
            return now;
        });
    }

    /** Creates a user of the demo project with one action. */
    ApiClient createWorkerAccount(String name, String... actions) {
        var tenantCalls = new TenantCalls(platform);
        var role = Json.object().put("display_name", name).put("level", "project");
        List.of(actions).forEach(role.withArray("actions")::add);
        var owner = platform.as("tenant_owner");
        var made = tenantCalls.sendAndAwaitRevision(
                owner.call("createRole").path("org_id", DemoData.ORG).body(role), 201);
        tenantCalls.sendAndAwaitRevision(
                owner.call("createProjectRoleBinding")
                        .path("project_id", DemoData.PROJECT)
                        .body(TenantCalls.userReference(name).put("role", made.text("role"))),
                201);
        return platform.person(name);
    }

    /** Creates a service account of the demo project with the actions. */
    ApiClient account(String... actions) {
        var id = CredentialCalls.createAccount(platform, DemoData.PROJECT, actions);
        var token = CredentialCalls.exchangeToken(
                platform, CredentialCalls.createCredential(platform, DemoData.PROJECT, id));
        var client = platform.anonymous().as(token);
        eventually(() -> client.call("getMe").send().expect(200));
        return client;
    }

    /** Returns the lifecycle events of an instance, in order. */
    List<String> runLifecycle(String id) {
        return platform
                .events()
                .find(observedRecord ->
                        observedRecord.key().equals(id) && observedRecord.type().startsWith("apps.instance."))
                .stream()
                .map(observedRecord -> observedRecord.type().substring("apps.instance.".length()))
                .toList();
    }

    List<JsonNode> members(String id) {
        var page = instanceCall(platform.as("tenant_owner"), "listInstanceMembers", DemoData.PROJECT, id)
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(page.path("items").spliterator(), false).toList();
    }
}
