package dev.slipway.authz;

import dev.slipway.contract.Ids;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class RolePathTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String READ = "apps.instance.read";

    private final AuthzModelFixture fixture = AuthzModelFixture.withBuiltInRoles();
    private final UUID user = fixture.user("issuer", "somebody");

    RolePathTest() {
        fixture.project(PROJECT, ORG);
    }

    @Test
    void rolePath_isNull_whenNoRoleGrantsTheAction() {
        assertThat(rolePath(user, ResourceScope.project(PROJECT))).isNull();
        assertThat(rolePath(user, ResourceScope.self())).isNull();
    }

    @Test
    void rolePath_namesScopeAndRole() {
        fixture.bindOrg(user, "tenant_owner", ORG);
        assertThat(rolePath(user, ResourceScope.project(PROJECT))).isEqualTo("organization:" + ORG + "/tenant_owner");
        fixture.bindProject(user, "project_viewer", PROJECT);
        assertThat(rolePath(user, ResourceScope.project(PROJECT))).isEqualTo("project:" + PROJECT + "/project_viewer");
        fixture.bindPlatform(user, "platform_superadmin");
        assertThat(rolePath(user, ResourceScope.project(PROJECT).withBreakGlass()))
                .isEqualTo("platform/platform_superadmin");
    }

    @Test
    void rolePath_namesTheGroup() {
        var group = Ids.next();
        fixture.member(group, ORG, user, false);
        fixture.bindProject(group, "project_viewer", PROJECT);
        assertThat(rolePath(user, ResourceScope.project(PROJECT)))
                .isEqualTo("project:" + PROJECT + "/group:" + group + "/project_viewer");
    }

    @Test
    void rolePath_namesTypeAndScope_ofMachines() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ));
        assertThat(rolePath(account, ResourceScope.project(PROJECT)))
                .isEqualTo("project:" + PROJECT + "/service_account");
        var runtime = Ids.next();
        var operator = fixture.operator(ORG, runtime, List.of("apps.shared_runtime.report"));
        var principal = fixture.model.principal(operator);
        assertThat(new Authorizer(fixture.model)
                        .decide(principal, "apps.shared_runtime.report", ResourceScope.sharedRuntime(ORG, runtime), NOW)
                        .rolePath(principal))
                .isEqualTo("shared_runtime:" + runtime + "/shared_runtime_operator");
    }

    private @Nullable String rolePath(UUID id, ResourceScope scope) {
        var principal = fixture.model.principal(id);
        return new Authorizer(fixture.model).decide(principal, READ, scope, NOW).rolePath(principal);
    }
}
