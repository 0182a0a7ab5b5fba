package dev.slipway.standalone;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Every operation for every role, against the role matrix. */
class RoleMatrixTest extends RoleMatrixTestBase {
    /** Sends refused operations without a body, and allowed ones if they do not affect other cases. */
    @Test
    @Proves({"1.05", "1.72", "1.75", "1.76", "1.77", "1.78", "2.27", "2.28"})
    void operation_matchesRoles_forEveryPrincipalAndScope() {
        var instances = Map.of(
                "own", launch("own", "tenant_owner"),
                "sibling", launch("sibling", "tenant_owner"),
                "other tenant's", launch("other tenant's", "other_tenant_owner"));
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        for (var apiOperation : RoleMatrix.assertDecisions()) {
            for (var principal : apiOperation.isAdminVariant() ? ADMIN_VARIANT_PRINCIPALS : everybody()) {
                PLACES.forEach((place, projectId) -> {
                    var expectation = RoleMatrix.expected(apiOperation, principal, place);
                    if (RoleMatrix.canBeSent(apiOperation, expectation)) {
                        var what = apiOperation.id() + " by " + principal + " in " + place + " project: ";
                        expected.add(what + expectation);
                        var apiResponse = send(apiOperation, principal, place, requireNonNull(instances.get(place)));
                        actual.add(what + apiResponse.status() + " " + apiResponse.text("code"));
                    }
                });
            }
        }

        assertThat(actual).containsExactlyElementsOf(expected);
        assertThat(RoleMatrix.assertDecisions().stream().map(ApiOperation::id))
                .contains("createAppInstance", "listAppInstances", "getAppInstance", "deleteAppInstance", "listApps");
        assertEveryRefusalWasAudited(expected);
    }

    /** Evaluates decisions without sending requests, for every operation. */
    @Test
    @Proves({"1.06", "1.75", "1.78"})
    void decision_matchesRoles_forEveryPrincipalAndScope() {
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        var principals = new ArrayList<>(everybody());
        principals.add(RoleMatrix.OPERATOR);
        for (var apiOperation : RoleMatrix.assertDecisions()) {
            for (var principal : principals) {
                PLACES.forEach((place, projectId) -> {
                    var what = apiOperation.id() + " by " + principal + " in " + place + " project: ";
                    var decision = authorizer()
                            .decide(
                                    matrixPrincipal(principal),
                                    apiOperation.action(),
                                    RoleMatrix.target(apiOperation, place, projectId),
                                    Instant.now());
                    expected.add(what + RoleMatrix.expected(apiOperation, principal, place));
                    actual.add(what + RoleMatrix.send(apiOperation, decision));
                });
            }
        }

        assertThat(actual).containsExactlyElementsOf(expected);
    }

    @Test
    @Proves({"1.06", "1.07"})
    void decision_isSameForBundledAndThirdPartyAccount() {
        var bundled =
                requireNonNull(platform.platform().serviceContext().authz().principal(DemoData.OTHER_OPERATOR));
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

        for (var apiOperation : RoleMatrix.assertDecisions()) {
            PLACES.forEach((place, projectId) -> {
                var resourceScope = RoleMatrix.target(apiOperation, place, projectId);
                assertThat(authorizer().decide(bundled, apiOperation.action(), resourceScope, Instant.now()))
                        .as("%s in %s project", apiOperation.id(), place)
                        .isEqualTo(
                                authorizer().decide(thirdPartys, apiOperation.action(), resourceScope, Instant.now()));
            });
            if (apiOperation.action().startsWith("apps.instance.")) {
                assertThat(apiOperation.scope()).as(apiOperation.id()).isIn(Scope.PROJECT, Scope.ORGANIZATION);
            }
        }
    }

    @Test
    void operation_isRejected_whenTokenIsMissing() {
        var served = new ArrayList<String>();
        for (var apiOperation : CONTRACT.operations()) {
            assertThat(apiOperation.action())
                    .as("the action of %s", apiOperation.id())
                    .isNotBlank();
            var call = platform.anonymous()
                    .call(apiOperation.id())
                    .path("app_slug", DemoData.APP)
                    .anyPath(DemoData.PROJECT);
            if (apiOperation.scope() != Scope.PUBLIC && call.send().status() != 401) {
                served.add(apiOperation.id());
            }
        }

        assertThat(served).isEmpty();
        platform.anonymous().call("getJwks").send().expect(200);
    }

    @Test
    @Proves({"1.75", "1.76"})
    void decision_matchesMatrix_forNineActionsAndNineRoles() {
        var actual = new ArrayList<String>();
        actual.add(MATRIX.lines().findFirst().orElseThrow());
        var columns = columns();
        for (var row : MATRIX.lines().skip(1).toList()) {
            var action = row.split(" ", 2)[0];
            var line = new StringBuilder(action);
            for (var i = 0; i < PRINCIPALS.size(); i++) {
                pad(line, columns.get(i + 1)).append(word(decide(PRINCIPALS.get(i), action, DemoData.PROJECT)));
            }
            actual.add(line.toString());
        }

        assertThat(String.join("\n", actual)).isEqualTo(MATRIX.strip());
        for (var row : MATRIX.lines().skip(1).toList()) {
            var action = row.split(" ", 2)[0];
            for (var who : PRINCIPALS) {
                var adminVariant = ResourceScope.project(DemoData.PROJECT).withBreakGlass();
                assertThat(authorizer()
                                .decide(principal(who), action, adminVariant, Instant.now())
                                .allowed())
                        .as("%s through the admin variant of %s", who, action)
                        .isEqualTo(who.startsWith("platform_"));
            }
        }
    }

    /** Written by hand: the registry must agree with it. none: not bound to that scope, so that nothing is found there. */
    private static final String SHARED_RUNTIMES = """
            scope   action                                    superadmin ops  t_owner t_admin p_owner p_admin member viewer machine operator
            tenant  apps.shared_runtime.read                  twin       twin allow   allow   none    none    none   none   none    allow
            tenant  apps.shared_runtime.create                twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.update                twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.delete                twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.force_delete          twin       twin allow   deny    none    none    none   none   none    deny
            tenant  apps.shared_runtime.report                twin       twin deny    deny    none    none    none   none   none    allow
            tenant  apps.shared_runtime.attachment.read       twin       twin allow   allow   none    none    none   none   none    allow
            tenant  apps.shared_runtime.attachment.create     twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.attachment.update     twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.attachment.delete     twin       twin allow   allow   none    none    none   none   none    deny
            tenant  apps.shared_runtime.attachment.force_detach twin     twin allow   deny    none    none    none   none   none    deny
            tenant  apps.shared_runtime.worker.read           twin       twin allow   allow   none    none    none   none   none    allow
            tenant  apps.shared_runtime.worker.operate        twin       twin allow   allow   none    none    none   none   none    allow
            own     apps.shared_runtime.read                  twin       twin allow   allow   allow   allow   allow  allow  deny    none
            own     apps.shared_runtime.worker.read           twin       twin allow   allow   allow   allow   allow  allow  deny    none
            own     apps.shared_runtime.worker.operate        twin       twin allow   allow   allow   allow   deny   deny   deny    none
            own     apps.shared_runtime.attachment.create     twin       twin allow   allow   deny    deny    deny   deny   deny    none
            own     apps.shared_runtime.report                twin       twin deny    deny    deny    deny    deny   deny   deny    none
            sibling apps.shared_runtime.read                  twin       twin allow   allow   none    none    none   none   none    none
            sibling apps.shared_runtime.worker.operate        twin       twin allow   allow   none    none    none   none   none    none
            foreign apps.shared_runtime.read                  twin       twin none    none    none    none    none   none   none    none
            foreign apps.shared_runtime.worker.operate        twin       twin none    none    none    none    none   none   none    none
            """;

    @Test
    @Proves("0.32")
    void decision_matchesMatrix_forSharedRuntimes() {
        var expected =
                SHARED_RUNTIMES.lines().skip(1).map(RoleMatrixTest::words).toList();
        var actual = new ArrayList<String>();
        var principals = new ArrayList<>(PRINCIPALS);
        principals.add(RoleMatrix.OPERATOR);
        for (var row : expected) {
            var cells = row.split(" ", 3);
            var line = new StringBuilder(cells[0] + " " + cells[1]);
            for (var who : principals) {
                var principal = matrixPrincipal(who);
                var scope =
                        switch (cells[0]) {
                            case "tenant" -> RoleMatrix.runtimeScope();
                            case "own" -> ResourceScope.project(DemoData.PROJECT);
                            case "sibling" -> ResourceScope.project(DemoData.SIBLING_PROJECT);
                            default -> ResourceScope.project(DemoData.OTHER_PROJECT);
                        };
                var verdict = authorizer()
                        .decide(principal, cells[1], scope, Instant.now())
                        .verdict();
                line.append(' ').append(verdict == Verdict.NOT_BOUND ? "none" : word(verdict));
            }
            actual.add(line.toString());
        }

        assertThat(actual).containsExactlyElementsOf(expected);
    }

    private static String words(String line) {
        return line.strip().replaceAll(" +", " ");
    }
}
