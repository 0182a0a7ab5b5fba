package dev.slipway.standalone;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of one area, and calls that they share. */
@ResourceLock("RoleMatrixTestBase") // its static fields: subclasses must not run in parallel
abstract class RoleMatrixTestBase {
    /** The role matrix of docs/requirements.md, repeated on purpose: the registry must agree with it. */
    static final String MATRIX = """
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

    static final List<String> PRINCIPALS = List.of(
            "platform_superadmin",
            "platform_ops",
            "tenant_owner",
            "tenant_admin",
            "project_owner",
            "project_admin",
            "project_member",
            "project_viewer",
            "service_account");

    static final List<String> ADMIN_VARIANT_PRINCIPALS = List.of(
            "platform_superadmin",
            "platform_ops",
            "tenant_owner",
            "project_owner",
            "service_account",
            "other_tenant_owner");

    static final Map<String, UUID> PLACES = places();

    static final Contract CONTRACT = Contract.load();

    static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        fillAuditLogs();
        PLACES.forEach(RoleMatrixTestBase::createBudget);
    }

    /** A project without a budget has none to return. It is never reached here, so it refuses no launch. */
    private static void createBudget(String place, UUID projectId) {
        platform.as(place.equals("other tenant's") ? "other_tenant_owner" : "tenant_owner")
                .call("putBudget")
                .path("project_id", projectId)
                .body(Json.object()
                        .put("amount", "1000000")
                        .put("currency", "EUR")
                        .put("at_limit", "warn"))
                .send()
                .expect(200);
    }

    /** An audit log without entries has no checkpoint to return. */
    private static void fillAuditLogs() {
        platform.launch("project_owner", "first entry").send().expect(202);
        platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "first entry")
                .send()
                .expect(202);
        eventually(() -> {
            getCheckpoint("tenant_owner", DemoData.ORG).expect(200);
            getCheckpoint("other_tenant_owner", DemoData.OTHER_ORG).expect(200);
        });
    }

    private static ApiResponse getCheckpoint(String user, UUID orgId) {
        return platform.as(user)
                .call("getOrganizationAuditCheckpoint")
                .path("org_id", orgId)
                .send();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    static Principal matrixPrincipal(String name) {
        return name.equals(RoleMatrix.OPERATOR) ? RoleMatrix.operator() : principal(name);
    }

    static List<String> everybody() {
        var everybody = new ArrayList<>(PRINCIPALS);
        everybody.add("other_tenant_owner");
        return everybody;
    }

    static ApiResponse send(ApiOperation apiOperation, String principal, String place, String instanceId) {
        var projectId = requireNonNull(PLACES.get(place));
        var call = platform.as(principal)
                .call(apiOperation.id())
                .path("project_id", projectId)
                .path("org_id", RoleMatrix.orgOf(place))
                .path("app_instance_id", instanceId)
                .path("app_slug", DemoData.APP)
                .path("scope_id", "apps.instance.read")
                .path("plan", "standard")
                .path("app_name", "crm")
                .path("period", "2026-01")
                .path("slo_id", "authorize")
                .path("tile", "0/000.p/1")
                .anyPath(DemoData.ECHO);
        if (apiOperation.path().endsWith("/quota-check")) {
            call = call.query("quota=max_users");
        }
        if (apiOperation.hasBody()) {
            call = call.body(PlatformUnderTest.launchBody("by " + principal));
        }
        if (apiOperation.scope() == Scope.PROJECT_HEADER) {
            call = call.header("X-Project-ID", projectId.toString());
        }
        return (apiOperation.isAdminVariant() ? call.header("X-Break-Glass-Reason", "the matrix is tested") : call)
                .send();
    }

    static void assertEveryRefusalWasAudited(List<String> expected) {
        var refused = expected.stream()
                .filter(line -> line.contains(": 403") || line.contains(": 404"))
                .count();
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("result")
                                        .asText()
                                        .equals("denied")
                                && observedRecord.payload().path("metadata").has("verdict"))
                        .size())
                .isGreaterThanOrEqualTo((int) refused));
        assertThat(platform.events().violations()).isEmpty();
    }

    static String launch(String place, String user) {
        return platform.launchIn(requireNonNull(PLACES.get(place)), user, "for " + place)
                .send()
                .expect(202)
                .text("id");
    }

    static String shape(ApiResponse apiResponse, String id) {
        var fields = new ArrayList<String>();
        apiResponse.body().fieldNames().forEachRemaining(fields::add);
        return apiResponse.status() + " " + apiResponse.text("code") + " "
                + apiResponse.text("message").replace(id, "<id>") + " " + fields + " "
                + apiResponse.body().path("details");
    }

    static Verdict decide(String user, String action, UUID projectId) {
        return authorizer()
                .decide(principal(user), action, ResourceScope.project(projectId), Instant.now())
                .verdict();
    }

    static Principal principal(String user) {
        return platform.platform()
                .serviceContext()
                .tokens()
                .verify(requireNonNull(platform.token(user)), Instant.now());
    }

    static Authorizer authorizer() {
        return new Authorizer(platform.platform().serviceContext().authz());
    }

    static String word(Verdict verdict) {
        return switch (verdict) {
            case ALLOWED -> "allow";
            case NOT_GRANTED -> "deny";
            case BREAK_GLASS_REQUIRED -> "twin";
            case NOT_BOUND,
                    UNKNOWN_ACTION,
                    NOT_ALLOWLISTED,
                    OTHER_TASK,
                    OUT_OF_TOKEN_SCOPE,
                    RESOURCE_DELETED,
                    PROJECT_SUSPENDED -> verdict.name();
        };
    }

    static List<Integer> columns() {
        var heading = MATRIX.lines().findFirst().orElseThrow();
        var columns = new ArrayList<Integer>();
        for (var i = 0; i < heading.length(); i++) {
            if (heading.charAt(i) != ' ' && (i == 0 || heading.charAt(i - 1) == ' ')) {
                columns.add(i);
            }
        }
        return columns;
    }

    static StringBuilder pad(StringBuilder line, int column) {
        return line.append(" ".repeat(column - line.length()));
    }

    static Map<String, UUID> places() {
        var places = new LinkedHashMap<String, UUID>();
        places.put("own", DemoData.PROJECT);
        places.put("sibling", DemoData.SIBLING_PROJECT);
        places.put("other tenant's", DemoData.OTHER_PROJECT);
        return places;
    }
}
