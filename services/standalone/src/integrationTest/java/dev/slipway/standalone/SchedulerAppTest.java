package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.TokenIssuer;
import dev.slipway.contract.Json;
import dev.slipway.standalone.Grid.Registered;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static dev.slipway.standalone.Grid.on;
import static dev.slipway.standalone.Grid.run;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** A third party's scheduler beside the bundled app: the platform does for both the same, and for neither anything special. */
class SchedulerAppTest {
    private static final String VERSION = "1.0.0";
    private static final String NEXT = "1.1.0";
    private static final String ELSEWHERE = "1.0.0-ray";
    private static final String REFUSED = "403 insufficient_permissions";
    private static final Set<String> READS = Set.of("catalog.list", "cluster.show", "queue.list", "node.list");
    private static final Set<String> WORK = Set.of("cluster.add", "queue.submit", "queue.cancel");

    @TempDir
    private static Path directory;

    private static PlatformUnderTest platform;
    private static Grid grid;
    private static RawReports reports;
    private static Tenants tenants;
    private static Registered slurm;
    private static SimulatedAdapter acmes;
    private static SimulatedAdapter bundled;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        grid = new Grid(platform);
        reports = new RawReports(platform);
        tenants = new Tenants(platform);
        grid.bring();
        grid.published(VERSION, "slurm");
        grid.published(NEXT, "slurm");
        grid.published(ELSEWHERE, "ray");
        slurm = grid.register("slurm");
        acmes = grid.start(slurm, directory);
        bundled = SimulatedAdapter.start(platform.adapterIn(directory.resolve("bundled")));
        for (var project : List.of(Demo.PROJECT, Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
            grid.entitle(project, true, "{}");
        }
    }

    @AfterEach
    void calm() {
        acmes.answer((operation, input) -> (ObjectNode) input);
    }

    @AfterAll
    static void stop() {
        acmes.close();
        bundled.close();
        assertThat(platform.events().faults()).allMatch(fault -> fault.contains("forged-report"));
        platform.close();
    }

    @Test
    @Proves({"2.05", "2.36", "2.37", "2.38", "2.46"})
    void scheduler_comesByPublication_isTurnedOnAndOffByEntitlement_andLivesAsAnInstance() {
        var home = new PolicyCalls(platform).home("grid");
        assertThat(told(launch(home, VERSION))).isEqualTo("403 app_not_entitled");
        grid.draft(Grid.manifest("0.9.0", "slurm")).expect(201);
        var overlay = "'policy_overrides': {'max_instances_per_project': 1}";
        var entitled = home.entitle(Grid.APP, "{'enabled': true, " + overlay + "}")
                .send()
                .expect(200);
        eventually(() -> assertThat(told(launch(home, "0.9.0"))).isEqualTo("404 app_version_not_found"));

        grid.publish("0.9.0").expect(200);
        var created = eventuallyGet(() -> launch(home, "0.9.0").expect(202));

        var id = created.text("id");
        eventually(() -> assertThat(status(home, id)).isEqualTo("running"));
        assertThat(created.text("app_slug") + " on " + created.text("runtime_backend"))
                .isEqualTo("acme-grid on slurm");
        assertThat(told(launch(home, VERSION))).isEqualTo("409 instance_limit_reached");
        home.entitle(Grid.APP, "{'enabled': false, " + overlay + "}")
                .header("If-Match", entitled.header("ETag"))
                .send()
                .expect(200);
        eventually(() -> assertThat(told(launch(home, VERSION))).isEqualTo("403 app_not_entitled"));
        assertThat(status(home, id)).isEqualTo("running");

        acmes.failed(UUID.fromString(id), "the controller is gone");
        eventually(() -> assertThat(status(home, id)).isEqualTo("failed"));
        home.call("deleteAppInstance").path("app_instance_id", id).send().expect(202);
        eventually(() -> assertThat(status(home, id)).isEqualTo("deleted"));
        eventually(() -> assertThat(grid.life(id))
                .containsExactly("requested", "deploying", "running", "failed", "deleting", "deleted"));
    }

    private static Answer launch(PolicyCalls.Home home, String version) {
        return grid.launch(tenants.person(home.tenant().owner()), UUID.fromString(home.projectId()), Grid.APP, version)
                .send();
    }

    private static String status(PolicyCalls.Home home, String id) {
        return home.call("getAppInstance")
                .path("app_instance_id", id)
                .send()
                .expect(200)
                .text("status");
    }

    @Test
    @Proves({"2.23", "2.24"})
    void everyAction_isRegistered_andEnforcedOnTheOperationsThatDeclareIt() {
        var id = grid.running(Demo.PROJECT, Grid.APP, VERSION);
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        for (var role : List.of("project_viewer", "project_member", "project_admin", "project_owner")) {
            Grid.OPERATIONS.forEach((operation, action) -> {
                var may = READS.contains(operation)
                        || (WORK.contains(operation) && !role.equals("project_viewer"))
                        || role.equals("project_admin")
                        || role.equals("project_owner");
                expected.add(role + " " + operation + (may ? " 202 " : " " + REFUSED));
                actual.add(role + " " + operation + " " + told(run(platform.as(role), Demo.PROJECT, id, operation)));
            });
        }
        assertThat(actual).containsExactlyElementsOf(expected);
        assertThat(told(run(platform.as("other_tenant_owner"), Demo.PROJECT, id, "queue.list")))
                .isEqualTo("404 not_found");

        var refusals = expected.stream().filter(line -> line.endsWith(REFUSED)).count();
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("action").asText().startsWith("scheduler.")
                                && seen.payload().path("result").asText().equals("denied")
                                && seen.payload()
                                        .at("/metadata/app_instance_id")
                                        .asText()
                                        .equals(id)))
                .hasSize((int) refusals));
        assertThat(Tenants.texts(
                        platform.as("project_viewer")
                                .call("listScopes")
                                .query("product_id=scheduler")
                                .send()
                                .expect(200),
                        "scope_id"))
                .containsExactlyInAnyOrderElementsOf(Set.copyOf(Grid.OPERATIONS.values()));
    }

    @Test
    @Proves("2.25")
    void nodeOperate_coversDrainCordonUncordonAndLabel_andNodeReadNoneOfThem() {
        var id = grid.running(Demo.PROJECT, Grid.APP, VERSION);
        var hand = grid.hired("hand", "apps.instance.read", "scheduler.node.operate");
        var watcher = grid.hired("watcher", "apps.instance.read", "scheduler.node.read");
        var covered = List.of("node.drain", "node.cordon", "node.uncordon", "node.label");

        for (var operation : covered) {
            assertThat(told(run(watcher, Demo.PROJECT, id, operation))).isEqualTo(REFUSED);
            assertThat(grid.over(run(hand, Demo.PROJECT, id, operation))
                            .path("status")
                            .asText())
                    .isEqualTo("succeeded");
        }

        assertThat(told(run(hand, Demo.PROJECT, id, "node.list"))).isEqualTo(REFUSED);
        run(watcher, Demo.PROJECT, id, "node.list").expect(202);
        eventually(() -> assertThat(acmes.world().asked(UUID.fromString(id)))
                .containsExactlyInAnyOrder(
                        "deployed",
                        "operated node.drain",
                        "operated node.cordon",
                        "operated node.uncordon",
                        "operated node.label",
                        "operated node.list"));
    }

    @Test
    @Proves("2.61")
    void operatorsAccount_managesItsOwnProjectsSchedulers_deletionExcepted_andNoOthers() {
        var actions = new ArrayList<>(List.of(
                "apps.instance.read",
                "apps.instance.create",
                "apps.instance.update",
                "apps.instance.member.read",
                "apps.instance.member.operate"));
        Grid.OPERATIONS.values().stream()
                .distinct()
                .filter(action -> !action.equals("scheduler.catalog.read") && !action.endsWith(".delete"))
                .forEach(actions::add);
        var account = grid.account(actions.toArray(String[]::new));
        var deleter = platform.as("tenant_owner")
                .call("createServiceAccount")
                .path("project_id", Demo.PROJECT)
                .body(CredentialCalls.account("apps.instance.delete"))
                .send();
        assertThat(told(deleter)).isEqualTo("403 grant_exceeds_own");

        var id = grid.launch(account, Demo.PROJECT, Grid.APP, VERSION)
                .send()
                .expect(202)
                .text("id");
        grid.becomes(Demo.PROJECT, id, "running");
        on(account, "getAppInstance", Demo.PROJECT, id).send().expect(200);
        for (var operation : List.of("cluster.show", "cluster.resize", "queue.submit", "queue.cancel", "node.drain")) {
            assertThat(grid.over(run(account, Demo.PROJECT, id, operation))
                            .path("requested_by_principal_id")
                            .asText())
                    .isEqualTo(account.call("getMe").send().text("principal_id"));
        }
        grid.over(on(account, "operateInstanceMember", Demo.PROJECT, id)
                .body(Json.object().put("operation", "add").put("component", "worker"))
                .send());
        var upgraded = grid.over(on(account, "upgradeAppInstance", Demo.PROJECT, id)
                .body(Json.object().put("version", NEXT))
                .send());
        assertThat(upgraded.path("status").asText()).isEqualTo("succeeded");
        assertThat(told(run(account, Demo.PROJECT, id, "cluster.drop"))).isEqualTo(REFUSED);
        assertThat(told(on(account, "deleteAppInstance", Demo.PROJECT, id).send()))
                .isEqualTo(REFUSED);

        for (var project : List.of(Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
            var foreign = grid.running(project, Grid.APP, VERSION);
            assertThat(told(grid.launch(account, project, Grid.APP, VERSION).send()))
                    .isEqualTo("404 not_found");
            for (var operation : List.of("getAppInstance", "listInstanceMembers", "deleteAppInstance")) {
                assertThat(told(on(account, operation, project, foreign).send()))
                        .isEqualTo("404 not_found");
                assertThat(on(account, operation, Demo.PROJECT, foreign).send().status())
                        .isIn(403, 404);
            }
            assertThat(told(run(account, project, foreign, "queue.submit"))).isEqualTo("404 not_found");
            assertThat(told(run(account, Demo.PROJECT, foreign, "queue.submit")))
                    .isEqualTo("404 app_instance_not_found");
        }
    }

    /** What holds for a third party's app holds for the one that comes with the platform, down to the codes. */
    @ParameterizedTest
    @ValueSource(strings = {Demo.APP, Grid.APP})
    @Proves({"1.04", "1.13", "2.19", "2.66", "2.68", "2.73"})
    void everyApp_isBoundByItsProjectItsTokenAndItsTask(String app) {
        var id = grid.running(Demo.PROJECT, app, VERSION);
        var sibling = grid.running(Demo.SIBLING_PROJECT, app, VERSION);
        var foreign = grid.running(Demo.OTHER_PROJECT, app, VERSION);
        var command = reports.command("deploy", id);
        eventually(() -> assertThat(platform.events().where(seen -> seen.key().equals(id)))
                .as("everything that followed from the launch is known by its id")
                .hasSizeGreaterThan(5)
                .extracting(seen -> seen.event().path("correlation_id").asText())
                .containsOnly(command.event().path("correlation_id").asText()));
        for (var caller : Map.of(
                        "project_viewer", REFUSED,
                        "platform_superadmin", "403 break_glass_required",
                        "other_tenant_owner", "404 not_found")
                .entrySet()) {
            assertThat(told(grid.launch(platform.as(caller.getKey()), Demo.PROJECT, app, VERSION)
                            .send()))
                    .isEqualTo(caller.getValue());
        }

        var own = taskToken(app, command);
        var failed = RawReports.about(command).put("reason", "forged");
        for (var other : List.of(sibling, foreign)) {
            var theirs = reports.command("deploy", other);
            var elsewhere = failed.deepCopy()
                    .put("org_id", theirs.payload().path("org_id").asText())
                    .put("project_id", theirs.payload().path("project_id").asText());
            assertRefused(failed, taskToken(app, theirs), "insufficient_permissions");
            assertRefused(RawReports.about(theirs).put("reason", "forged"), own, "insufficient_permissions");
            assertThat(refusal(elsewhere, own)).isIn("not_found", "insufficient_permissions");
            grid.becomes(UUID.fromString(theirs.payload().path("project_id").asText()), other, "running");
        }
        assertRefused(failed, null, "token_missing");
        assertRefused(failed, "x" + own, "token_invalid");
        assertRefused(failed, platform.token("project_owner"), "insufficient_permissions");
        var withoutContext = failed.deepCopy();
        withoutContext.remove("project_id");
        assertRefused(withoutContext, own, "validation_error");
        var adapter = platform.anonymous().as(own);
        assertThat(told(on(adapter, "deleteAppInstance", Demo.PROJECT, id).send()))
                .isEqualTo(REFUSED);
        grid.becomes(Demo.PROJECT, id, "running");

        reports.send("runtime.report.failed", failed, own);
        grid.becomes(Demo.PROJECT, id, "failed");
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("target_id").asText().equals(id)))
                .extracting(seen -> seen.payload().path("action").asText() + " "
                        + seen.payload().path("result").asText())
                .contains(
                        "apps.instance.create success", "apps.instance.report denied", "apps.instance.report success"));
        assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("target_id").asText().equals(id)
                                && seen.payload().path("action").asText().equals("apps.instance.report")
                                && seen.payload().path("result").asText().equals("success")))
                .as("an app's operator works by its project's service account, and in no other way")
                .extracting(
                        seen -> seen.payload().path("actor").path("actor_type").asText())
                .containsOnly("service_account");
    }

    private static String taskToken(String app, Seen command) {
        var event = command.event().path("event_id").asText();
        return app.equals(Demo.APP)
                ? reports.token(command.key(), event)
                : reports.token(slurm.id(), slurm.secret(), command.key(), event);
    }

    private static void assertRefused(ObjectNode report, String token, String code) {
        assertThat(refusal(report, token)).isEqualTo(code);
    }

    private static String refusal(ObjectNode report, String token) {
        return reports.rejection(reports.send("runtime.report.failed", report, token))
                .payload()
                .path("code")
                .asText();
    }

    @Test
    @Proves({"1.02", "1.18", "2.17"})
    void thirdPartysApp_hasAllThatTheBundledOneHas_itsLifeThePlatforms_howItIsDoneItsOwn() {
        var lives = new ArrayList<List<String>>();
        for (var app : List.of(Demo.APP, Grid.APP)) {
            var adapter = app.equals(Demo.APP) ? bundled : acmes;
            var component = app.equals(Demo.APP) ? "server" : "worker";
            adapter.hold();
            var created = grid.launch(platform.as("project_owner"), Demo.PROJECT, app, VERSION)
                    .send()
                    .expect(202);
            var id = created.text("id");
            grid.becomes(Demo.PROJECT, id, "deploying");
            adapter.release();
            grid.becomes(Demo.PROJECT, id, "running");
            owner("upgradeAppInstance", id, Json.object().put("version", NEXT));
            owner(
                    "runInstanceOperation",
                    id,
                    app.equals(Demo.APP)
                            ? PolicyCalls.json("{'operation': 'echo.ping', 'input': {'message': 'hello'}}")
                            : PolicyCalls.json("{'operation': 'queue.submit', 'input': {'message': 'hello'}}"));
            owner(
                    "operateInstanceMember",
                    id,
                    Json.object().put("operation", "add").put("component", component));
            owner("rollbackAppInstance", id, Json.object());
            var instance = UUID.fromString(id);
            adapter.usage(
                    instance,
                    UUID.randomUUID(),
                    "app_runtime_hour",
                    "0.5",
                    Instant.now().minusSeconds(60),
                    Instant.now());
            adapter.failed(instance, "it fell over");
            grid.becomes(Demo.PROJECT, id, "failed");
            on(platform.as("project_owner"), "deleteAppInstance", Demo.PROJECT, id)
                    .send()
                    .expect(202);
            grid.becomes(Demo.PROJECT, id, "deleted");

            // What was to be done is the platform's to say and to keep in order; each time it was the adapter that did
            // it.
            assertThat(adapter.world().asked(instance).stream().map(line -> line.replaceFirst(" [-0-9a-f]{36}$", "")))
                    .containsExactly(
                            "deployed",
                            "upgraded " + NEXT,
                            "operated " + (app.equals(Demo.APP) ? "echo.ping" : "queue.submit"),
                            "member add",
                            "rolled back " + VERSION,
                            "deleted");
            assertThat(reports.command("upgrade", id)
                            .payload()
                            .at("/manifest/lifecycle/upgrade/strategy")
                            .asText())
                    .isEqualTo("replace");
            eventually(() -> assertThat(grid.life(id)).endsWith("deleted"));
            eventually(() -> assertThat(platform.events()
                            .where(seen -> seen.topic().equals("usage.events")
                                    && seen.payload()
                                            .path("app_instance_id")
                                            .asText()
                                            .equals(id)))
                    .hasSize(1));
            lives.add(grid.life(id));
        }
        assertThat(lives.get(1)).isEqualTo(lives.get(0)).hasSize(8);
        assertThat(platform.events()
                        .where(seen -> seen.type().equals("runtime.report.rejected")
                                && seen.payload().path("reason").asText().contains("fell over")))
                .isEmpty();
    }

    private static void owner(String operation, String id, ObjectNode body) {
        var ended = grid.over(on(platform.as("project_owner"), operation, Demo.PROJECT, id)
                .body(body)
                .send());
        assertThat(ended.path("status").asText()).as("%s", ended).isEqualTo("succeeded");
    }

    @Test
    @Proves("2.74")
    void scheduler_meansTheSame_whicheverVendorsRuntimeItIsOn() {
        var seen = new ArrayList<List<String>>();
        try (var other = grid.start(grid.register("ray"), directory)) {
            for (var version : List.of(VERSION, ELSEWHERE)) {
                var answers = new ArrayList<String>();
                var id = grid.running(Demo.PROJECT, Grid.APP, version);
                for (var operation : Grid.OPERATIONS.keySet()) {
                    var done = grid.over(run(platform.as("project_owner"), Demo.PROJECT, id, operation));
                    answers.add(operation + " " + done.path("status").asText() + fields(done));
                }
                grid.members(id).stream()
                        .map(member -> member.path("component").asText() + fields(member))
                        .sorted()
                        .forEach(answers::add);
                answers.add(
                        "not declared: " + told(run(platform.as("project_owner"), Demo.PROJECT, id, "vendor.magic")));
                var last = on(platform.as("project_owner"), "deleteAppInstance", Demo.PROJECT, id)
                        .send()
                        .expect(202);
                answers.add(fields(last.body()));
                grid.becomes(Demo.PROJECT, id, "deleted");
                eventually(() -> assertThat(grid.life(id)).endsWith("deleted"));
                answers.addAll(grid.life(id));
                seen.add(answers);
            }
            assertThat(other.world()).isNotNull();
        }
        assertThat(seen.get(1)).isEqualTo(seen.get(0)).hasSizeGreaterThan(15);
    }

    private static String fields(JsonNode answer) {
        var names = new ArrayList<String>();
        answer.fieldNames().forEachRemaining(names::add);
        return names.toString();
    }

    @Test
    @Proves({"0.05", "C.12"})
    void memberOperation_isAskedForOnce_andItsSecretsAreOfTheInstancesProjectAlone() {
        var id = grid.running(Demo.PROJECT, Grid.APP, VERSION);
        var sibling = grid.running(Demo.SIBLING_PROJECT, Grid.APP, VERSION);
        var key = UUID.randomUUID().toString();
        var add = on(platform.as("project_owner"), "operateInstanceMember", Demo.PROJECT, id)
                .header("Idempotency-Key", key)
                .body(Json.object().put("operation", "add").put("component", "worker"));
        var first = add.send().expect(202);
        grid.over(first);
        assertThat(add.send().expect(202).text("id")).isEqualTo(first.text("id"));
        assertThat(add.send().expect(202).text("id")).isEqualTo(first.text("id"));
        assertThat(acmes.world().asked(UUID.fromString(id)).stream().filter(line -> line.startsWith("member add")))
                .hasSize(1);
        assertThat(grid.members(id)).hasSize(3);

        var projects = Map.of(id, Demo.PROJECT, sibling, Demo.SIBLING_PROJECT);
        projects.forEach((instance, project) -> {
            var command = reports.command("deploy", instance);
            assertThat(command.payload().path("project_id").asText()).isEqualTo(project.toString());
            var token = taskToken(Grid.APP, command);
            assertThat(TokenText.of(token).text("project_id")).isEqualTo(project.toString());
            var account = TokenText.of(token).claims().getSubject();
            platform.as("tenant_owner")
                    .call("getServiceAccount")
                    .path("project_id", project)
                    .path("service_account_id", account)
                    .send()
                    .expect(200);
            var holder = platform.anonymous().as(token);
            on(holder, "getAppInstance", project, instance).send().expect(200);
            for (var elsewhere : List.of(Demo.PROJECT, Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
                if (!elsewhere.equals(project)) {
                    assertThat(told(on(holder, "getAppInstance", elsewhere, instance)
                                    .send()))
                            .isEqualTo("404 not_found");
                }
            }
        });
        var controller = grid.members(id).stream()
                .filter(member -> member.path("component").asText().equals("controller"))
                .findFirst()
                .orElseThrow();
        assertThat(told(on(platform.as("tenant_owner"), "getInstanceMember", Demo.SIBLING_PROJECT, id)
                        .path("member_id", controller.path("id").asText())
                        .send()))
                .isEqualTo("404 app_instance_not_found");
        var elsewhere =
                Json.object().put("app_slug", Grid.APP).put("version", VERSION).put("display_name", "elsewhere");
        elsewhere.putObject("placement_intent").put("project_id", Demo.SIBLING_PROJECT.toString());
        assertThat(told(platform.launch("project_owner", "").body(elsewhere).send()))
                .isEqualTo("400 validation_error");
        // An adapter of another runtime gets nothing for it.
        assertThat(platform.anonymous()
                        .call("exchangeOperatorToken")
                        .body(Json.object()
                                .put("adapter_id", Demo.ADAPTER.toString())
                                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET)
                                .put("app_instance_id", id)
                                .put("command_id", UUID.randomUUID().toString()))
                        .send()
                        .text("code"))
                .isEqualTo("task_unknown");
    }

    @Test
    @Proves({"2.05", "2.14"})
    void whoAsksAndWhetherTheyMay_isThePlatforms_andWhatItMeansTheApps() {
        var id = grid.running(Demo.PROJECT, Grid.APP, VERSION);
        var acmesOwn = platform.anonymous()
                .as(TokenIssuer.withNewKey("https://acme.example")
                        .sign("acme admin", Instant.now(), Instant.now().plusSeconds(600), Map.of()));
        assertThat(told(run(acmesOwn, Demo.PROJECT, id, "queue.submit"))).isEqualTo("401 token_invalid");
        for (var invented : List.of("users", "roles", "service_accounts")) {
            var manifest = Grid.manifest("3.0.0", "slurm");
            manifest.putArray(invented).add("acme admin");
            assertThat(grid.draft(manifest)
                            .expect(400)
                            .body()
                            .at("/details/fields/0/field")
                            .asText())
                    .isEqualTo("/manifest/" + invented);
        }
        var unknown = Grid.manifest("3.0.0", "slurm");
        unknown.withArray("required_actions").add("acme.secret.read");
        grid.draft(unknown).expect(201);
        assertThat(grid.publish("3.0.0")
                        .expect(409)
                        .body()
                        .at("/details/fields")
                        .findValuesAsText("field"))
                .containsExactly("/manifest/required_actions/2");

        var job = PolicyCalls.json("{'#!': '/bin/sh', 'nodes': [1, {'deep': null}], 'gröẞe': 1000}");
        var answer = PolicyCalls.json("{'ticket': {'of': ['acme', 7]}}");
        var handedOn = new ArrayList<JsonNode>();
        acmes.answer((operation, input) -> {
            handedOn.add(input);
            return answer;
        });
        var account = grid.account("apps.instance.read", "scheduler.queue.submit");
        for (var caller : List.of(platform.as("project_member"), account)) {
            var body = Json.object().put("operation", "queue.submit");
            body.set("input", job);
            var done = grid.over(on(caller, "runInstanceOperation", Demo.PROJECT, id)
                    .body(body)
                    .send());
            assertThat(done.path("output")).isEqualTo(answer);
            var who = caller.call("getMe").send().text("principal_id");
            assertThat(done.path("requested_by_principal_id").asText()).isEqualTo(who);
            eventually(() -> assertThat(platform.events()
                            .where(seen -> seen.type().equals("audit.recorded")
                                    && seen.payload().path("action").asText().equals("scheduler.queue.submit")
                                    && seen.payload().path("result").asText().equals("success")
                                    && seen.payload()
                                            .at("/metadata/operation_id")
                                            .asText()
                                            .equals(done.path("id").asText())))
                    .singleElement()
                    .satisfies(seen -> assertThat(
                                    seen.payload().at("/actor/principal_id").asText())
                            .isEqualTo(who)));
            assertThat(told(run(caller, Demo.SIBLING_PROJECT, id, "queue.submit")))
                    .isEqualTo("404 not_found");
        }
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("apps.instance_operation.succeeded")
                                && seen.key().equals(id)
                                && seen.payload().path("operation").asText().equals("queue.submit")))
                .hasSize(2));
        assertThat(handedOn).hasSize(2).allSatisfy(input -> assertThat(input).isEqualTo(job));

        // What the app's own side may do is what it declared: to read and to report, of this instance.
        var adapter = platform.anonymous().as(taskToken(Grid.APP, reports.command("deploy", id)));
        on(adapter, "getAppInstance", Demo.PROJECT, id).send().expect(200);
        for (var action : List.of("queue.submit", "node.drain")) {
            assertThat(told(run(adapter, Demo.PROJECT, id, action))).isEqualTo(REFUSED);
        }
        for (var operation : List.of("deleteAppInstance", "listInstanceMembers")) {
            assertThat(told(on(adapter, operation, Demo.PROJECT, id).send())).isEqualTo(REFUSED);
        }
        assertThat(told(run(account, Demo.PROJECT, id, "queue.cancel"))).isEqualTo(REFUSED);
    }
}
