package dev.slipway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.LossySender;
import dev.slipway.messaging.Topics;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.HashMap;

/** Puts on record who was held back. A gateway has no database, so this is the one record that may be lost: it changes nothing. */
final class RateLimitAudit {
    private final LossySender<Limited> sender;
    private final Clock clock;

    private record Limited(String who, @Nullable Principal principal) {}

    RateLimitAudit(KafkaSettings kafka, Clock clock) {
        this.sender = new LossySender<>(
                kafka, "limits", batch -> batch.stream().map(this::record).toList());
        this.clock = clock;
    }

    void limited(String who, @Nullable Principal principal) {
        sender.offer(new Limited(who, principal));
    }

    void stop() {
        sender.stop();
    }

    private Outgoing record(Limited limited) {
        var id = Ids.next();
        var payload = Json.object();
        describe(payload.putObject("actor"), limited);
        payload.put("action", "gateway.request")
                .put("target_type", "rate_limit")
                .put("target_id", limited.who)
                .put("org_id", (String) null)
                .put("project_id", (String) null)
                .put("result", "denied")
                .put("reason", "rate_limited");
        payload.putObject("metadata");
        var event = new Envelope(id, "audit.recorded", clock.instant(), 1, id.toString(), payload);
        var headers = new HashMap<String, String>();
        CloudEvents.describe(
                headers, "slipway/gateway", id, event.eventType(), "platform", event.occurredAt(), id.toString());
        return new Outgoing(Topics.AUDIT_EVENTS, "platform", event.toBytes(), headers);
    }

    private static void describe(ObjectNode actor, Limited limited) {
        var principal = limited.principal;
        if (principal == null) {
            actor.put("principal_id", (String) null).put("actor_type", "system").put("display_name", limited.who);
        } else {
            actor.put("principal_id", principal.id().toString())
                    .put("actor_type", principal.type().text())
                    .put("display_name", principal.displayName())
                    .put("responsible_user_id", principal.responsibleUserId().toString());
        }
    }
}
