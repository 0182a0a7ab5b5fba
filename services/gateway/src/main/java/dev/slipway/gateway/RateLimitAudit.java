package dev.slipway.gateway;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.LossySender;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
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
        var principal = limited.principal;
        var actor = principal == null ? AuditTrail.actor("system", limited.who, null) : AuditTrail.actor(principal);
        var entry = new Entry("gateway.request", "rate_limit", limited.who, null, null, Json.object());
        var payload = AuditTrail.payload(actor, entry, "denied", ErrorCode.RATE_LIMITED.code());
        var event = new Envelope(id, "audit.recorded", clock.instant(), 1, id.toString(), payload);
        var headers = new HashMap<String, String>();
        CloudEvents.describe(
                headers, "slipway/gateway", id, event.eventType(), "platform", event.occurredAt(), id.toString());
        return new Outgoing(Topics.AUDIT_EVENTS, "platform", event.toBytes(), headers);
    }
}
