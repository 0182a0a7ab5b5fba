package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A report received from the broker; {@code appendedAt} is the broker's timestamp. */
record ReceivedReport(
        Envelope event, @Nullable String key, @Nullable String authorization, Instant appendedAt) {
    private static final String PREFIX = "runtime.report.";

    /** Returns the event type without the prefix of reports. */
    String type() {
        var type = event.eventType();
        return type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : type;
    }

    boolean is(String type) {
        return type().equals(type);
    }

    String text(String field) {
        return event.payload().path(field).asText();
    }

    JsonNode field(String field) {
        return event.payload().path(field);
    }

    boolean isOperation(String status) {
        return is("operation") && text("status").equals(status);
    }

    /** Returns whether the report claims that the instance responds at its endpoints. */
    boolean claimsRunning() {
        return is("running") || (isOperation("succeeded") && !endpoints().isEmpty());
    }

    List<String> endpoints() {
        var urls = new ArrayList<String>();
        field("endpoints").forEach(endpoint -> urls.add(endpoint.path("url").asText()));
        return urls;
    }

    /** Returns a description for findings. */
    String describe() {
        var detail = is("operation") ? " " + text("status") : "";
        var reason = text("reason");
        return type() + detail + (reason.isEmpty() ? "" : " (" + reason + ")");
    }
}
