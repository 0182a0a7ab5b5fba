package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Incoming;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class AuthzModelTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    private static final UUID USER = Ids.next();
    private static final UUID BINDING = Ids.next();

    private final AuthzModel model = new AuthzModel();

    private void binding(long revision, boolean removed) {
        apply(
                "authz.binding",
                START,
                Json.object()
                        .put("binding_id", BINDING.toString())
                        .put("principal_id", USER.toString())
                        .put("role", "project_owner")
                        .put("level", "project")
                        .put("org_id", Ids.next().toString())
                        .put("project_id", Ids.next().toString())
                        .put("removed", removed)
                        .put("revision", revision));
        apply("authz.revision", START, Json.object().put("revision", revision));
    }

    private void heartbeat(long revision, Instant at) {
        apply("state.heartbeat", at, Json.object().put("revision", revision));
    }

    private void apply(String type, Instant at, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, at, 1, "test", payload);
        model.apply(new Incoming("authz.state", 0, 0, at, null, event.toBytes(), Map.of()));
    }

    @Test
    void age_isEndless_beforeTheFirstHeartbeat() {
        binding(1, false);

        assertThat(model.age(START)).isGreaterThan(Duration.ofDays(365));
    }

    @Test
    void age_countsFromTheLastHeartbeat() {
        binding(1, false);
        heartbeat(1, START);
        heartbeat(1, START.plusSeconds(2));

        assertThat(model.age(START.plusSeconds(5))).isEqualTo(Duration.ofSeconds(3));
    }

    /** IAM has committed a revocation that has not arrived: every heartbeat says so, and none makes the model younger. */
    @Test
    void age_grows_whileARevocationIsStuck() {
        binding(1, false);
        heartbeat(1, START);

        heartbeat(2, START.plusSeconds(30));
        assertThat(model.age(START.plusSeconds(31))).isEqualTo(Duration.ofSeconds(31));

        binding(2, true);
        assertThat(model.age(START.plusSeconds(31))).isEqualTo(Duration.ofSeconds(31));
        heartbeat(2, START.plusSeconds(32));
        assertThat(model.age(START.plusSeconds(32))).isZero();
        assertThat(model.bindingsOf(USER)).isEmpty();
    }

    /** Records may be published twice; the older of two must not undo the younger. */
    @Test
    void apply_changesNothing_whenARecordComesAgainLate() {
        binding(1, false);
        binding(2, true);

        binding(1, false);

        assertThat(model.bindingsOf(USER)).isEmpty();
    }
}
