package dev.slipway.service;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static dev.slipway.service.DatabaseTest.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that calls are authorized before their handlers run. */
class DispatcherAuthorizationTest extends DispatcherTestBase {
    private static final Map<String, String> BREAK_GLASS = Map.of("x-break-glass-reason", "a customer called");

    @Test
    @Proves({"1.05", "3.103"})
    void operations_areRejected_withoutAuthorizedToken() {
        var operations = CONTRACT.operations().stream()
                .filter(apiOperation -> apiOperation.scope() != Scope.PUBLIC)
                .toList();
        operations.forEach(apiOperation -> dispatcher.serve(apiOperation.id(), this::handle));
        await(dispatcher.open());

        assertThat(operations).isNotEmpty().allSatisfy(apiOperation -> {
            assertThat(code(call(apiOperation.id(), null))).isEqualTo(ErrorCode.TOKEN_MISSING);
            assertThat(code(call(apiOperation.id(), "not.a.token"))).isEqualTo(ErrorCode.TOKEN_INVALID);
            if (apiOperation.scope() != Scope.SELF) {
                assertThat(code(call(apiOperation.id(), token("stranger"))))
                        .as(apiOperation.id())
                        .isEqualTo(isInTenant(apiOperation) ? ErrorCode.NOT_FOUND : ErrorCode.INSUFFICIENT_PERMISSIONS);
            }
        });
        assertThat(handled).hasValue(0);
    }

    /** A tenant's resource does not exist for those who have no role in it; the platform does. */
    private static boolean isInTenant(ApiOperation apiOperation) {
        return apiOperation.scope() == Scope.PROJECT || apiOperation.scope() == Scope.ORGANIZATION;
    }

    /** Without a gateway: the service itself rejects the calls. */
    @Test
    void call_isRejected_whenTokenPrincipalOrKeyIsRevoked() {
        serve(this::handle);
        var jti = Ids.next();
        var end = NOW.plusSeconds(600);
        var revoked = ISSUER.sign(jti, "owner", NOW, end, Map.of());
        var leaver = principal("leaver");
        bind(leaver, "owner", "project");
        for (var token : List.of(revoked, token("leaver"), token("owner"))) {
            assertThat(call("getAppInstance", token).problem()).isNull();
        }

        apply(
                "authz.revocation",
                Json.object().put("kind", "token").put("id", jti.toString()).put("expires_at", end.toString()));
        apply(
                "authz.principal",
                Json.object()
                        .put("principal_id", leaver.toString())
                        .put("actor_type", "user")
                        .put("active", false));

        assertThat(code(call("getAppInstance", revoked))).isEqualTo(ErrorCode.TOKEN_REVOKED);
        assertThat(code(call("getAppInstance", token("leaver")))).isEqualTo(ErrorCode.TOKEN_INVALID);
        assertThat(call("getAppInstance", token("owner")).problem()).isNull();
        apply("authz.signing_key", key().put("revoked", true));
        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.TOKEN_REVOKED);
        assertThat(handled).hasValue(4);
    }

    @Test
    void call_isRejected_whenPermissionsAreStale_writesBeforeReads() {
        serve(this::handle);
        heartbeat(NOW.minus(WRITES).minusMillis(1));
        assertThat(code(call("createAppInstance", token("owner")))).isEqualTo(ErrorCode.AUTHZ_STALE);
        assertThat(call("getAppInstance", token("owner")).problem()).isNull();

        heartbeat(NOW.minus(READS).minusMillis(1));

        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.AUTHZ_STALE);
        assertThat(handled).hasValue(1);
    }

    @Test
    void call_isRejected_whenHeaderAndPathNameDifferentProjects() {
        serve(this::handle);

        var reply = call(
                "getAppInstance",
                token("owner"),
                Map.of("x-project-id", Ids.next().toString()));

        assertThat(code(reply)).isEqualTo(ErrorCode.PROJECT_MISMATCH);
        assertThat(handled).hasValue(0);
    }

    @Test
    void denial_isAudited_withReason() {
        serve(this::handle);

        assertThat(code(call("createAppInstance", token("stranger")))).isEqualTo(ErrorCode.NOT_FOUND);

        var record = Json.parseStoredObject(fresh.query("SELECT convert_from(value, 'UTF8') FROM alpha.outbox"));
        assertThat(record.path("event_type").asText()).isEqualTo("audit.recorded");
        assertThat(record.path("correlation_id").asText()).isEqualTo("c-1");
        assertThat(record.at("/payload/result").asText()).isEqualTo("denied");
        assertThat(record.at("/payload/action").asText()).isEqualTo("apps.instance.create");
        assertThat(record.at("/payload/actor/display_name").asText()).isEqualTo("stranger");
        assertThat(record.at("/payload/metadata/verdict").asText()).isEqualTo("not_bound");
    }

    @Test
    @Proves("1.76")
    void platformRole_isDeniedWithoutBreakGlass_andTenantRoleWithIt() {
        serve(this::handle);

        assertThat(code(call("getAppInstance", token("admin")))).isEqualTo(ErrorCode.BREAK_GLASS_REQUIRED);
        assertThat(code(call("getAppInstance", token("owner"), BREAK_GLASS)))
                .isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
        assertThat(code(call("getAppInstance", token("stranger"), BREAK_GLASS)))
                .isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);

        assertThat(handled).hasValue(0);
        assertThat(fresh.query("""
                        SELECT count(*) FROM alpha.outbox
                        WHERE convert_from(value, 'UTF8')::jsonb #>> '{payload,metadata,break_glass_reason}' = 'a customer called'
                        """)).isEqualTo("2");
    }

    @Test
    @Proves({"1.76", "2.28"})
    void breakGlass_isAuditedBeforeHandlerRuns_evenIfItFails() {
        serve(request -> {
            assertThat(fresh.query("SELECT count(*) FROM alpha.outbox")).isEqualTo("2");
            assertThat(request.projectId()).isEqualTo(PROJECT);
            assertThat(request.orgId()).isEqualTo(ORG);
            handled.incrementAndGet();
            return Future.failedFuture(new IllegalStateException("the handler fails"));
        });

        assertThat(code(call("getAppInstance", token("admin"), BREAK_GLASS))).isEqualTo(ErrorCode.INTERNAL_ERROR);

        assertThat(handled).hasValue(1);
        assertThat(List.of("audit.recorded", "audit.break_glass.used")).allSatisfy(type -> {
            var record = Json.parseStoredObject(fresh.query(
                    "SELECT convert_from(value, 'UTF8') FROM alpha.outbox WHERE event_type = '" + type + "'"));
            assertThat(record.at("/payload/reason").asText()).isEqualTo("a customer called");
            assertThat(record.at("/payload/action").asText()).isEqualTo("apps.instance.read");
            assertThat(record.at("/payload/actor/display_name").asText()).isEqualTo("admin");
            assertThat(record.at("/payload/org_id").asText()).isEqualTo(ORG.toString());
            assertThat(record.at("/payload/project_id").asText()).isEqualTo(PROJECT.toString());
        });
    }

    @Test
    void call_waitsForRevisionOfCaller() {
        serve(this::handle);

        var waiting = send("getAppInstance", token("newcomer"), Map.of("x-revision", "2"));
        assertThat(call("getAppInstance", token("owner"), Map.of("x-revision", "1"))
                        .problem())
                .isNull();
        assertThat(waiting.isComplete()).isFalse();
        bind(principal("newcomer"), "owner", "project");
        apply("authz.revision", Json.object(), 2);

        assertThat(await(waiting).problem()).isNull();
        assertThat(handled).hasValue(2);
    }

    @Test
    void call_isRejected_whenRevisionOfCallerDoesNotArrive() {
        serve(this::handle);

        var reply = call("getAppInstance", token("owner"), Map.of("x-revision", "9"));

        assertThat(code(reply)).isEqualTo(ErrorCode.AUTHZ_BEHIND);
        assertThat(handled).hasValue(0);
    }

    @Test
    void decisions_areCountedByOutcomeAndReason_andTimed() {
        serve(this::handle);
        call("getAppInstance", token("owner"));
        call("getAppInstance", token("stranger"));

        var metrics = telemetry.metrics();
        assertThat(metrics.get("slipway.decisions")
                        .tags("service", "alpha", "outcome", "allowed")
                        .counter()
                        .count())
                .isPositive();
        assertThat(metrics.get("slipway.denials")
                        .tags("service", "alpha", "reason", "not_bound")
                        .counter()
                        .count())
                .isPositive();
        assertThat(metrics.get("slipway.authorization")
                        .tags("service", "alpha")
                        .timer()
                        .count())
                .isGreaterThanOrEqualTo(2);
    }
}
