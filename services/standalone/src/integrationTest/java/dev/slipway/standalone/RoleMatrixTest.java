package dev.slipway.standalone;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.RoleRegistry;
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
import java.util.Set;
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

    /** What the demo's service account is allowed by its own list. */
    private static final Set<String> ALLOWLIST = Set.of(
            "apps.instance.read", "apps.instance.create", "apps.instance.member.read", "apps.instance.member.operate");

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

    @Test
    @Proves({"1.05", "1.72", "1.77", "2.27"})
    void everyOperation_answersAsTheRolesSay_forEveryPrincipalInEveryProject() {
        var instances = Map.of(
                "own", launched("own", "tenant_owner"),
                "sibling", launched("sibling", "tenant_owner"),
                "other tenant's", launched("other tenant's", "other_tenant_owner"));
        var granted = RoleRegistry.load().roles().stream()
                .collect(Collectors.toMap(RoleRegistry.Role::name, role -> Set.copyOf(role.actions())));
        var principals = new ArrayList<>(PRINCIPALS);
        principals.add("other_tenant_owner");
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        for (var operation : judged()) {
            for (var principal : principals) {
                PLACES.forEach((place, projectId) -> {
                    var what = operation.id() + " by " + principal + " in " + place + " project: ";
                    var answerExpected = expected(operation, principal, place, granted);
                    expected.add(what + answerExpected);
                    var answer = send(
                            operation,
                            principal,
                            projectId,
                            requireNonNull(instances.get(place)),
                            answerExpected.startsWith("2"));
                    actual.add(what + answer.status() + " " + answer.text("code"));
                });
            }
        }

        assertThat(actual).containsExactlyElementsOf(expected);
        assertThat(judged().stream().map(Operation::id))
                .contains("createAppInstance", "listAppInstances", "getAppInstance", "deleteAppInstance", "listApps");
        assertEveryRefusalWasAudited(expected);
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
                    .path("project_id", Demo.PROJECT)
                    .path("app_instance_id", Demo.PROJECT)
                    .path("app_slug", Demo.APP)
                    .path("correlation_id", "none");
            call = CredentialCalls.withAnyIds(operation, call);
            if (operation.scope() != Scope.PUBLIC && call.send().status() != 401) {
                served.add(operation.id());
            }
        }

        assertThat(served).isEmpty();
        platform.anonymous().call("getJwks").send().expect(200);
    }

    @Test
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
    }

    @Test
    void decision_endsAtTheProjectOrTheTenant_whereverTheRoleIsHeld() {
        for (var action : ALLOWLIST) {
            assertThat(decide("project_owner", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("service_account", action, Demo.OTHER_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_owner", action, Demo.OTHER_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("other_tenant_owner", action, Demo.PROJECT)).isEqualTo(Verdict.NOT_BOUND);
            assertThat(decide("tenant_admin", action, Demo.SIBLING_PROJECT)).isEqualTo(Verdict.ALLOWED);
        }
        assertThat(requireNonNull(authorizer()
                                .inProject(principal("project_owner"), "apps.instance.read", Demo.PROJECT)
                                .by())
                        .level())
                .isEqualTo(Level.PROJECT);
        assertThat(requireNonNull(authorizer()
                                .inProject(principal("tenant_owner"), "apps.instance.read", Demo.PROJECT)
                                .by())
                        .level())
                .isEqualTo(Level.ORGANIZATION);
    }

    @Test
    void decision_isDenied_whenTheAccountsListLacksTheAction() {
        var operator = requireNonNull(platform.platform().frame().authz().principal(Demo.OTHER_OPERATOR));

        assertThat(authorizer()
                        .inProject(operator, "apps.instance.member.operate", Demo.OTHER_PROJECT)
                        .verdict())
                .isEqualTo(Verdict.NOT_ALLOWLISTED);
        assertThat(authorizer()
                        .inProject(operator, "apps.instance.read", Demo.OTHER_PROJECT)
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

    /** The operations whose answer depends on the caller's role in a project. */
    private static List<Operation> judged() {
        return CONTRACT.operations().stream()
                .filter(operation -> operation.scope() == Scope.PROJECT || operation.scope() == Scope.PROJECT_HEADER)
                .toList();
    }

    private static String expected(
            Operation operation, String principal, String place, Map<String, Set<String>> granted) {
        var role = principal.equals("other_tenant_owner") ? "tenant_owner" : principal;
        if (role.startsWith("platform_")) {
            return "403 break_glass_required";
        }
        var bound =
                switch (role) {
                    case "tenant_owner", "tenant_admin" ->
                        place.equals("other tenant's") == principal.equals("other_tenant_owner");
                    default -> place.equals("own");
                };
        if (!bound) {
            return "404 not_found";
        }
        var allowed = requireNonNull(granted.get(role)).contains(operation.action())
                && (!role.equals("service_account") || ALLOWLIST.contains(operation.action()));
        return allowed ? operation.successStatus() + " " : "403 insufficient_permissions";
    }

    private static Answer send(
            Operation operation, String principal, UUID projectId, String instanceId, boolean allowed) {
        var call = operation.id().equals("createAppInstance")
                ? platform.launchIn(projectId, principal, "by " + principal)
                : platform.as(principal).call(operation.id());
        if (operation.scope() == Scope.PROJECT_HEADER) {
            call = call.header("X-Project-ID", projectId.toString());
        }
        call = call.path("project_id", projectId)
                .path("app_instance_id", instanceId)
                .path("app_slug", Demo.APP);
        return CredentialCalls.completed(platform, operation, call, projectId, allowed)
                .send();
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
        return authorizer().inProject(principal(user), action, projectId).verdict();
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
            case NOT_BOUND, UNKNOWN_ACTION, NOT_ALLOWLISTED, OTHER_TASK -> verdict.name();
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
