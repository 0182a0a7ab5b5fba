package dev.slipway.standalone;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Who may do what, where: every role on every operation in its own, its neighbour's and another tenant's project. */
class RoleMatrixTest {
    /** The role matrix of docs/requirements.md, written down a second time on purpose: the registry has to agree with it. */
    private static final String MATRIX = """
            action                        superadmin ops  t_owner t_admin p_owner p_admin member viewer machine
            apps.catalog.read             twin       twin allow   allow   allow   allow   allow  allow  deny
            apps.versions.read            twin       twin allow   allow   allow   allow   allow  allow  deny
            apps.entitlement.read         twin       twin allow   allow   allow   allow   deny   deny   deny
            apps.entitlement.write        twin       twin allow   allow   allow   allow   deny   deny   deny
            apps.instance.read            twin       twin allow   allow   allow   allow   allow  allow  allow
            apps.instance.create          twin       twin allow   allow   allow   allow   allow  deny   allow
            apps.instance.delete          twin       twin allow   allow   allow   allow   deny   deny   deny
            apps.instance.member.read     twin       twin allow   allow   allow   allow   allow  allow  allow
            apps.instance.member.operate  twin       twin allow   allow   allow   allow   deny   deny   allow
            """;

    private static final List<String> PRINCIPALS = List.of(
            "platform_superadmin",
            "platform_ops",
            "tenant_owner",
            "tenant_admin",
            "project_owner",
            "project_admin",
            "project_member",
            "project_viewer",
            "service_account");

    private static final List<String> TWIN_PRINCIPALS = List.of(
            "platform_superadmin",
            "platform_ops",
            "tenant_owner",
            "project_owner",
            "service_account",
            "other_tenant_owner");

    private static final Map<String, UUID> PLACES = places();
    private static final Contract CONTRACT = Contract.load();

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    /** What is refused is sent for every operation that needs no body; what is allowed, only where doing it harms no other case. */
    @Test
    @Proves({"1.05", "1.72", "1.75", "1.76", "1.77", "1.78", "2.27", "2.28"})
    void everyOperation_answersAsTheRolesSay_forEveryPrincipalInEveryPlace_andThroughItsTwin() {
        var instances = Map.of(
                "own", launched("own", "tenant_owner"),
                "sibling", launched("sibling", "tenant_owner"),
                "other tenant's", launched("other tenant's", "other_tenant_owner"));
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        for (var operation : RoleMatrix.judged()) {
            for (var principal : operation.isTwin() ? TWIN_PRINCIPALS : everybody()) {
                PLACES.forEach((place, projectId) -> {
                    var expectation = RoleMatrix.expected(operation, principal, place);
                    if (RoleMatrix.canBeSent(operation, expectation)) {
                        var what = operation.id() + " by " + principal + " in " + place + " project: ";
                        expected.add(what + expectation);
                        var answer = send(operation, principal, place, requireNonNull(instances.get(place)));
                        actual.add(what + answer.status() + " " + answer.text("code"));
                    }
                });
            }
        }

        assertThat(actual).containsExactlyElementsOf(expected);
        assertThat(RoleMatrix.judged().stream().map(Operation::id))
                .contains("createAppInstance", "listAppInstances", "getAppInstance", "deleteAppInstance", "listApps");
        assertEveryRefusalWasAudited(expected);
    }

    /** Without sending anything, so that it covers every operation, whatever it would do. */
    @Test
    @Proves({"1.06", "1.75", "1.78", "C.06"})
    void everyDecision_isAsTheRolesSay_forPeopleAccountsAndOperators_inEveryPlace_andThroughTheTwin() {
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        var principals = new ArrayList<>(everybody());
        principals.add(RoleMatrix.OPERATOR);
        for (var operation : RoleMatrix.judged()) {
            for (var principal : principals) {
                PLACES.forEach((place, projectId) -> {
                    var what = operation.id() + " by " + principal + " in " + place + " project: ";
                    var decision = authorizer()
                            .decide(
                                    matrixPrincipal(principal),
                                    operation.action(),
                                    RoleMatrix.target(operation, place, projectId),
                                    Instant.now());
                    expected.add(what + RoleMatrix.expected(operation, principal, place));
                    actual.add(what + RoleMatrix.answer(operation, decision));
                });
            }
        }

        assertThat(actual).containsExactlyElementsOf(expected);
    }

    @Test
    @Proves({"1.06", "1.07"})
    void bundledAppsAccount_isDecidedAsAnybodyElsesWithTheSameGrants_andAlwaysInAPlace() {
        var bundled = requireNonNull(platform.platform().frame().authz().principal(Demo.OTHER_OPERATOR));
        var thirdPartys = new Principal(
                Ids.next(),
                bundled.type(),
                "A third party's",
                Ids.next(),
                bundled.orgId(),
                bundled.projectId(),
                null,
                bundled.allowedActions(),
                null,
                null);

        for (var operation : RoleMatrix.judged()) {
            PLACES.forEach((place, projectId) -> {
                var target = RoleMatrix.target(operation, place, projectId);
                assertThat(authorizer().decide(bundled, operation.action(), target, Instant.now()))
                        .as("%s in %s project", operation.id(), place)
                        .isEqualTo(authorizer().decide(thirdPartys, operation.action(), target, Instant.now()));
            });
            if (operation.action().startsWith("apps.instance.")) {
                assertThat(operation.scope()).as(operation.id()).isIn(Scope.PROJECT, Scope.ORGANIZATION);
            }
        }
    }

    private static Principal matrixPrincipal(String name) {
        return name.equals(RoleMatrix.OPERATOR) ? RoleMatrix.operator() : principal(name);
    }

    private static List<String> everybody() {
        var everybody = new ArrayList<>(PRINCIPALS);
        everybody.add("other_tenant_owner");
        return everybody;
    }

    @Test
    void everyOperation_isRefused_withoutToken() {
        var served = new ArrayList<String>();
        for (var operation : CONTRACT.operations()) {
            assertThat(operation.action())
                    .as("the action of %s", operation.id())
                    .isNotBlank();
            var call = platform.anonymous()
                    .call(operation.id())
                    .path("app_slug", Demo.APP)
                    .anyPath(Demo.PROJECT);
            if (operation.scope() != Scope.PUBLIC && call.send().status() != 401) {
                served.add(operation.id());
            }
        }

        assertThat(served).isEmpty();
        platform.anonymous().call("getJwks").send().expect(200);
    }

    @Test
    @Proves({"1.75", "1.76"})
    void decision_isTheMatrix_forTheNineActionsAndTheNineRoles() {
        var actual = new ArrayList<String>();
        actual.add(MATRIX.lines().findFirst().orElseThrow());
        var columns = columns();
        for (var row : MATRIX.lines().skip(1).toList()) {
            var action = row.split(" ", 2)[0];
            var line = new StringBuilder(action);
            for (var i = 0; i < PRINCIPALS.size(); i++) {
                pad(line, columns.get(i + 1)).append(word(decide(PRINCIPALS.get(i), action, Demo.PROJECT)));
            }
            actual.add(line.toString());
        }

        assertThat(String.join("\n", actual)).isEqualTo(MATRIX.strip());
        for (var row : MATRIX.lines().skip(1).toList()) {
            var action = row.split(" ", 2)[0];
            for (var who : PRINCIPALS) {
                var twin = Target.project(Demo.PROJECT).throughBreakGlass();
                assertThat(authorizer()
                                .decide(principal(who), action, twin, Instant.now())
                                .allowed())
                        .as("%s through the twin of %s", who, action)
                        .isEqualTo(who.startsWith("platform_"));
            }
        }
    }

    @Test
    void decision_endsAtTheProjectOrTheTenant_whereverTheRoleIsHeld() {
        for (var action : RoleMatrix.ALLOWLIST) {
            assertThat(decide("project_owner", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, Demo.OTHER_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_owner", action, Demo.OTHER_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("other_tenant_owner", action, Demo.PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_admin", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.ALLOWED);
        }
        assertThat(requireNonNull(authorizer()
                                .decide(
                                        principal("project_owner"),
                                        "apps.instance.read",
                                        Target.project(Demo.PROJECT),
                                        Instant.now())
                                .by())
                        .level())
                .isEqualTo(Level.PROJECT);
        assertThat(requireNonNull(authorizer()
                                .decide(
                                        principal("tenant_owner"),
                                        "apps.instance.read",
                                        Target.project(Demo.PROJECT),
                                        Instant.now())
                                .by())
                        .level())
                .isEqualTo(Level.ORGANIZATION);
    }

    @Test
    void decision_isDenied_whenTheAccountsListLacksTheAction() {
        var operator = requireNonNull(platform.platform().frame().authz().principal(Demo.OTHER_OPERATOR));

        assertThat(authorizer()
                        .decide(
                                operator,
                                "apps.instance.member.operate",
                                Target.project(Demo.OTHER_PROJECT),
                                Instant.now())
                        .verdict())
                .isEqualTo(Verdict.NOT_ALLOWLISTED);
        assertThat(authorizer()
                        .decide(operator, "apps.instance.read", Target.project(Demo.OTHER_PROJECT), Instant.now())
                        .verdict())
                .isEqualTo(Verdict.ALLOWED);
    }

    @Test
    @Proves({"1.72", "2.26"})
    void foreignInstance_readsAsMissing_inOwnProjectAndInItsOwn() {
        var foreign = launched("other tenant's", "other_tenant_owner");
        var sibling = launched("sibling", "tenant_owner");
        var missing = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_ffffL).toString();

        for (var operation : List.of("getAppInstance", "deleteAppInstance")) {
            var shapes = List.of(foreign, sibling, missing).stream()
                    .map(id -> shape(
                            platform.instance(operation, "project_owner", id).send(), id))
                    .collect(Collectors.toSet());
            assertThat(shapes).hasSize(1);
            assertThat(shapes.iterator().next()).startsWith("404 app_instance_not_found");
            var there = platform.as("project_owner")
                    .call(operation)
                    .path("project_id", Demo.OTHER_PROJECT)
                    .path("app_instance_id", foreign)
                    .send();
            var nowhere = platform.as("project_owner")
                    .call(operation)
                    .path("project_id", missing)
                    .path("app_instance_id", foreign)
                    .send();
            assertThat(shape(there, foreign)).isEqualTo(shape(nowhere, foreign)).startsWith("404 not_found");
        }
    }

    @Test
    @Proves("1.71")
    void project_comesFromTheHeader_whereThePathHasNone() {
        platform.as("project_viewer").call("listApps").send().expect(200);
        platform.as("project_viewer")
                .call("listApps")
                .header("X-Project-ID", Demo.PROJECT.toString())
                .send()
                .expect(200);
        platform.as("project_viewer")
                .call("listApps")
                .header("X-Project-ID", Demo.SIBLING_PROJECT.toString())
                .send()
                .expect(404);
        platform.as("project_viewer")
                .call("listAppInstances")
                .path("project_id", Demo.PROJECT)
                .header("X-Project-ID", Demo.PROJECT.toString())
                .send()
                .expect(200);
        var refused = platform.as("tenant_owner")
                .call("listAppInstances")
                .path("project_id", Demo.PROJECT)
                .header("X-Project-ID", Demo.SIBLING_PROJECT.toString())
                .send()
                .expect(400);
        assertThat(refused.text("code")).isEqualTo("project_mismatch");
    }

    private static Answer send(Operation operation, String principal, String place, String instanceId) {
        var projectId = requireNonNull(PLACES.get(place));
        var call = platform.as(principal)
                .call(operation.id())
                .path("project_id", projectId)
                .path("org_id", RoleMatrix.orgOf(place))
                .path("app_instance_id", instanceId)
                .path("app_slug", Demo.APP)
                .path("scope_id", "apps.instance.read")
                .path("plan", "standard")
                .anyPath(Demo.ECHO);
        if (operation.takesBody()) {
            call = call.body(PlatformUnderTest.launchBody("by " + principal));
        }
        if (operation.scope() == Scope.PROJECT_HEADER) {
            call = call.header("X-Project-ID", projectId.toString());
        }
        return (operation.isTwin() ? call.header("X-Break-Glass-Reason", "the matrix is tested") : call).send();
    }

    private static void assertEveryRefusalWasAudited(List<String> expected) {
        var refused = expected.stream()
                .filter(line -> line.contains(": 403") || line.contains(": 404"))
                .count();
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("result").asText().equals("denied")
                                && seen.payload().path("metadata").has("verdict"))
                        .size())
                .isGreaterThanOrEqualTo((int) refused));
        assertThat(platform.events().faults()).isEmpty();
    }

    private static String launched(String place, String user) {
        return platform.launchIn(requireNonNull(PLACES.get(place)), user, "for " + place)
                .send()
                .expect(202)
                .text("id");
    }

    private static String shape(Answer answer, String id) {
        var fields = new ArrayList<String>();
        answer.body().fieldNames().forEachRemaining(fields::add);
        return answer.status() + " " + answer.text("code") + " "
                + answer.text("message").replace(id, "<id>") + " " + fields + " "
                + answer.body().path("details");
    }

    private static Verdict decide(String user, String action, UUID projectId) {
        return authorizer()
                .decide(principal(user), action, Target.project(projectId), Instant.now())
                .verdict();
    }

    private static Principal principal(String user) {
        return platform.platform().frame().tokens().verify(requireNonNull(platform.token(user)), Instant.now());
    }

    private static Authorizer authorizer() {
        return new Authorizer(platform.platform().frame().authz());
    }

    private static String word(Verdict verdict) {
        return switch (verdict) {
            case ALLOWED -> "allow";
            case NOT_GRANTED -> "deny";
            case BREAK_GLASS_REQUIRED -> "twin";
            case NOT_BOUND, UNKNOWN_ACTION, NOT_ALLOWLISTED, OTHER_TASK, OUT_OF_TOKEN_SCOPE, RESOURCE_DELETED ->
                verdict.name();
        };
    }

    private static List<Integer> columns() {
        var heading = MATRIX.lines().findFirst().orElseThrow();
        var columns = new ArrayList<Integer>();
        for (var i = 0; i < heading.length(); i++) {
            if (heading.charAt(i) != ' ' && (i == 0 || heading.charAt(i - 1) == ' ')) {
                columns.add(i);
            }
        }
        return columns;
    }

    private static StringBuilder pad(StringBuilder line, int column) {
        return line.append(" ".repeat(column - line.length()));
    }

    private static Map<String, UUID> places() {
        var places = new LinkedHashMap<String, UUID>();
        places.put("own", Demo.PROJECT);
        places.put("sibling", Demo.SIBLING_PROJECT);
        places.put("other tenant's", Demo.OTHER_PROJECT);
        return places;
    }
}
