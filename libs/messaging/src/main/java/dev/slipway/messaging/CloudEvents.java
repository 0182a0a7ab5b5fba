package dev.slipway.messaging;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Adds the headers of the CloudEvents Kafka binding in binary mode. */
public final class CloudEvents {
    private CloudEvents() {}

    public static void addHeaders(
            Map<String, String> headers,
            String source,
            UUID eventId,
            String eventType,
            String subject,
            Instant occurredAt,
            String correlationId) {
        headers.put("content-type", "application/json");
        headers.put("ce_specversion", "1.0");
        headers.put("ce_id", eventId.toString());
        headers.put("ce_type", eventType);
        headers.put("ce_source", source);
        headers.put("ce_subject", subject);
        headers.put("ce_time", occurredAt.toString());
        headers.put("ce_correlationid", correlationId);
    }
}
