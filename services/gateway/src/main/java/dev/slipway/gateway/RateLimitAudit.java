package dev.slipway.gateway;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BestEffortSender;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.HashMap;

/** Audits rate-limit rejections. A gateway has no outbox, so these audit records can be lost; they accompany no change. */
final class RateLimitAudit {
    private final BestEffortSender<RejectedCaller> sender;
    private final AuditActionRegistry actions;
    private final Clock clock;

    private record RejectedCaller(String name, @Nullable Principal principal) {}

    RateLimitAudit(KafkaSettings kafka, AuditActionRegistry actions, Clock clock) {
        this.sender = new BestEffortSender<>(
                kafka, "limits", batch -> batch.stream().map(this::record).toList());
        this.actions = actions;
        this.clock = clock;
    }

    void recordRejection(String caller, @Nullable Principal principal) {
        sender.offer(new RejectedCaller(caller, principal));
    }

    void stop() {
        sender.stop();
    }

    private OutgoingRecord record(RejectedCaller caller) {
        var id = Ids.next();
        var principal = caller.principal;
        var actor = principal == null ? AuditTrail.actor("system", caller.name, null) : AuditTrail.actor(principal);
        var auditEntry = new AuditEntry("gateway.request", "rate_limit", caller.name, null, null, Json.object());
        var payload =
                actions.stamp(AuditTrail.payload(actor, auditEntry, AuditResult.DENIED, ErrorCode.RATE_LIMITED.code()));
        var event = new Envelope(id, "audit.recorded", clock.instant(), 1, id.toString(), payload);
        var headers = new HashMap<String, String>();
        CloudEvents.addHeaders(
                headers, "slipway/gateway", id, event.eventType(), "platform", event.occurredAt(), id.toString());
        return new OutgoingRecord(Topics.AUDIT_EVENTS, "platform", event.toBytes(), headers);
    }
}
