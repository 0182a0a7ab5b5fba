package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AuditActionRegistryTest {
    private static final String OWN_ACTION = "depot.rack.reserve";

    private final AuditActionRegistry registry = new AuditActionRegistry();

    @Test
    @Proves("3.33")
    void auditActions_haveAllFields_andContainEveryAdminReleaseAndPublishAction() {
        var seeds = RegistrySeeds.load().entries();
        var actions = seeds.stream()
                .filter(entry -> entry.kind() == RegistryKind.AUDIT_ACTION)
                .collect(Collectors.toMap(entry -> entry.id(), entry -> entry));
        assertThat(actions.values()).isNotEmpty().allSatisfy(action -> {
            assertThat(action.id()).isNotBlank();
            assertThat(action.version()).isPositive();
            assertThat(action.body().path("privileged").isBoolean())
                    .as(action.id())
                    .isTrue();
            for (var reference : Map.of(
                            "product_id", RegistryKind.PRODUCT, "retention_class", RegistryKind.RETENTION_CLASS)
                    .entrySet()) {
                assertThat(seeds)
                        .as("%s of %s", reference.getKey(), action.id())
                        .anyMatch(entry -> entry.kind() == reference.getValue()
                                && entry.id()
                                        .equals(action.body()
                                                .path(reference.getKey())
                                                .asText()));
            }
        });
        var admin = Contract.load().operations().stream()
                .filter(operation -> operation.isMutation() && operation.path().startsWith("/api/v1/admin/"))
                .map(ApiOperation::action)
                .distinct()
                .toList();
        assertThat(admin).hasSizeGreaterThan(20);
        assertThat(actions.keySet())
                .containsAll(admin)
                .contains("apps.version.publish", "apps.artifact.promote", "evidence.release.write");
    }

    @Test
    void everyMutatingOperation_hasAnActiveAuditAction() {
        var missing = Contract.load().operations().stream()
                .filter(ApiOperation::isMutation)
                .map(ApiOperation::action)
                .distinct()
                .filter(action -> !isActive(action))
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void stamp_addsTheRegisteredValues() {
        var stamped = registry.stamp(payload("apps.app.write", "success"));
        assertThat(stamped.path("action_version").asInt()).isEqualTo(1);
        assertThat(stamped.path("retention_class").asText()).isEqualTo("standard");
        assertThat(stamped.path("privileged").asBoolean()).isTrue();
    }

    @Test
    void stamp_fails_whenActionIsNotRegistered() {
        for (var result : new String[] {"success", "failure"}) {
            assertThatThrownBy(() -> registry.stamp(payload(OWN_ACTION, result)))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.AUDIT_ACTION_INACTIVE))
                    .hasMessageContaining(OWN_ACTION);
        }
    }

    @Test
    void stamp_followsTheLifecycleOfTheEntry() {
        registry.apply(snapshot(OWN_ACTION, 1, "draft"));
        assertThat(isActive(OWN_ACTION)).isFalse();
        registry.apply(snapshot(OWN_ACTION, 1, "active"));
        assertThat(isActive(OWN_ACTION)).isTrue();
        registry.apply(snapshot(OWN_ACTION, 2, "deprecated"));
        assertThat(isActive(OWN_ACTION)).isTrue();
        registry.apply(snapshot(OWN_ACTION, 1, "active"));
        assertThat(registry.stamp(payload(OWN_ACTION, "success"))
                        .path("action_version")
                        .asInt())
                .isEqualTo(2);
        registry.apply(snapshot(OWN_ACTION, 3, "retired"));
        assertThat(isActive(OWN_ACTION)).isFalse();
    }

    @Test
    void stamp_acceptsDenialsAndBreakGlass_whenActionIsNotRegistered() {
        assertThat(registry.stamp(payload(OWN_ACTION, "denied")).has("action_version"))
                .isFalse();
        var access = payload("iam.decision.explain", "success");
        access.putObject("metadata").put("break_glass", true);
        assertThat(registry.stamp(access).has("action_version")).isFalse();
    }

    @Test
    void stamp_removesMetadata_whoseKeyIsNotAllowed() {
        var payload = payload("apps.app.write", "success");
        payload.putObject("metadata").put("reason", "kept").put("password", "removed");
        assertThat(registry.stamp(payload).path("metadata"))
                .isEqualTo(Json.object().put("reason", "kept"));
        var denied = payload(OWN_ACTION, "denied");
        denied.putObject("metadata").put("verdict", "not_bound").put("rack", 7);
        assertThat(registry.stamp(denied).path("metadata"))
                .isEqualTo(Json.object().put("verdict", "not_bound"));
    }

    @Test
    void stamp_keepsMetadata_whoseKeyTheActionRegisters() {
        var snapshot = Json.object()
                .put("kind", "audit_action")
                .put("entry_id", OWN_ACTION)
                .put("entry_version", 1)
                .put("lifecycle", "active");
        snapshot.putObject("body")
                .put("retention_class", "standard")
                .put("privileged", false)
                .putArray("metadata_keys")
                .add("rack");
        registry.apply(record(envelope("catalog.registry.snapshot", snapshot)));
        var payload = payload(OWN_ACTION, "success");
        payload.putObject("metadata").put("rack", 7).put("other", 1);
        assertThat(registry.findOtherMetadata(OWN_ACTION, payload.path("metadata")))
                .containsExactly("other");
        assertThat(registry.stamp(payload).path("metadata"))
                .isEqualTo(Json.object().put("rack", 7));
    }

    /** Otherwise nobody could activate an action again. */
    @Test
    void registryAction_staysActive_whenItsEntryIsRetired() {
        registry.apply(snapshot("registry.write", 2, "retired"));
        assertThat(isActive("registry.write")).isTrue();
    }

    @Test
    void apply_ignoresOtherRecords() {
        registry.apply(record(new byte[0]));
        registry.apply(record(new byte[] {'{'}));
        var other = Json.object().put("kind", "product").put("entry_id", OWN_ACTION);
        registry.apply(record(envelope("catalog.registry.snapshot", other)));
        registry.apply(record(envelope("catalog.heartbeat", Json.object())));
        assertThat(isActive(OWN_ACTION)).isFalse();
    }

    private boolean isActive(String action) {
        try {
            return registry.stamp(payload(action, "success")).has("action_version");
        } catch (ProblemException e) {
            return false;
        }
    }

    private static ObjectNode payload(String action, String result) {
        return Json.object().put("action", action).put("result", result);
    }

    private static ReceivedRecord snapshot(String id, int version, String lifecycle) {
        var payload = Json.object()
                .put("kind", "audit_action")
                .put("entry_id", id)
                .put("entry_version", version)
                .put("lifecycle", lifecycle);
        payload.putObject("body").put("retention_class", "standard").put("privileged", false);
        return record(envelope("catalog.registry.snapshot", payload));
    }

    private static byte[] envelope(String type, ObjectNode payload) {
        return new Envelope(Ids.next(), type, Instant.EPOCH, 1, "correlation", payload).toBytes();
    }

    private static ReceivedRecord record(byte[] value) {
        return new ReceivedRecord("catalog.state", 0, 0, Instant.EPOCH, "key", value, Map.of());
    }
}
