package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer.AccessibleScopes;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class AccessibleScopesTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final Principal USER = principal(ActorType.USER, null);
    private static final Principal MACHINE = principal(ActorType.SERVICE_ACCOUNT, PROJECT);
    private static final AccessibleScopes NOWHERE = new AccessibleScopes(Set.of(), Set.of());

    private final AuthzModel model = new AuthzModel();
    private final Authorizer authorizer = new Authorizer(model);

    @BeforeEach
    void roles() {
        action("x.read");
        action("x.report");
        role("reader", "project", "x.read");
        role("service_account", "machine", "x.report");
        var project = Json.object()
                .put("project_id", PROJECT.toString())
                .put("org_id", ORG.toString())
                .put("revision", 1);
        apply("authz.project", project);
    }

    @Test
    void findAccessibleScopes_isEmpty_withoutBinding() {
        assertThat(authorizer.findAccessibleScopes(USER, "x.read", Instant.EPOCH))
                .isEqualTo(NOWHERE);
    }

    @Test
    void findAccessibleScopes_isEmpty_whenTheRoleLacksTheAction() {
        bind("reader", "organization", ORG, null);

        assertThat(authorizer.findAccessibleScopes(USER, "x.write", Instant.EPOCH))
                .isEqualTo(NOWHERE);
    }

    @Test
    void findAccessibleScopes_isEmpty_withAPlatformRole() {
        bind("reader", "platform", null, null);

        assertThat(authorizer.findAccessibleScopes(USER, "x.read", Instant.EPOCH))
                .isEqualTo(NOWHERE);
    }

    @Test
    void findAccessibleScopes_isTheOrganization_withARoleThere() {
        bind("reader", "organization", ORG, null);

        assertThat(authorizer.findAccessibleScopes(USER, "x.read", Instant.EPOCH))
                .isEqualTo(new AccessibleScopes(Set.of(ORG), Set.of()));
    }

    @Test
    void findAccessibleScopes_isTheProject_withARoleThere() {
        bind("reader", "project", ORG, PROJECT);

        assertThat(authorizer.findAccessibleScopes(USER, "x.read", Instant.EPOCH))
                .isEqualTo(new AccessibleScopes(Set.of(), Set.of(PROJECT)));
    }

    @Test
    void findAccessibleScopes_isTheOwnProject_forAMachine() {
        assertThat(authorizer.findAccessibleScopes(MACHINE, "x.report", Instant.EPOCH))
                .isEqualTo(new AccessibleScopes(Set.of(), Set.of(PROJECT)));
    }

    @Test
    void findAccessibleScopes_isEmpty_whenMachinesCannotHaveTheAction() {
        assertThat(authorizer.findAccessibleScopes(MACHINE, "x.read", Instant.EPOCH))
                .isEqualTo(NOWHERE);
    }

    @Test
    void findAccessibleScopes_isEmpty_whenTheTokenLacksTheAction() {
        bind("reader", "organization", ORG, null);

        assertThat(authorizer.findAccessibleScopes(USER.withTokenActions(Set.of("x.report")), "x.read", Instant.EPOCH))
                .isEqualTo(NOWHERE);
    }

    private void action(String action) {
        apply(
                "authz.action",
                Json.object().put("action", action).put("lifecycle", "active").put("revision", 1));
    }

    private void role(String role, String level, String action) {
        var payload = Json.object().put("role", role).put("level", level).put("revision", 1);
        payload.putArray("actions").add(action);
        apply("authz.role", payload);
    }

    private void bind(String role, String level, UUID orgId, UUID projectId) {
        apply(
                "authz.binding",
                Json.object()
                        .put("binding_id", Ids.next().toString())
                        .put("principal_id", USER.id().toString())
                        .put("role", role)
                        .put("level", level)
                        .put("org_id", orgId == null ? null : orgId.toString())
                        .put("project_id", projectId == null ? null : projectId.toString())
                        .put("removed", false)
                        .put("revision", 2));
    }

    private void apply(String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, Instant.EPOCH, 1, "c-1", payload);
        model.apply(new ReceivedRecord("authz.state", 0, 0, Instant.EPOCH, null, event.toBytes(), Map.of()));
    }

    private static Principal principal(ActorType type, UUID projectId) {
        var id = Ids.next();
        return new Principal(id, type, "someone", id, ORG, projectId, null, Set.of("x.read", "x.report"), null, null);
    }
}
