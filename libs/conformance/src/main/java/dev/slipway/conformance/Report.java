package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A report that the broker has; {@code appendedAt} is when the broker took it. */
record Report(
        Envelope event, @Nullable String key, @Nullable String authorization, Instant appendedAt) {
    private static final String PREFIX = "runtime.report.";

    /** Without the prefix; as it is if it has another. */
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

    /** Whether it says that the instance answers at its endpoints now. */
    boolean saysItRuns() {
        return is("running") || (isOperation("succeeded") && !endpoints().isEmpty());
    }

    List<String> endpoints() {
        var urls = new ArrayList<String>();
        field("endpoints").forEach(endpoint -> urls.add(endpoint.path("url").asText()));
        return urls;
    }

    /** For a reader of a verdict. */
    String plain() {
        var detail = is("operation") ? " " + text("status") : "";
        var reason = text("reason");
        return type() + detail + (reason.isEmpty() ? "" : " (" + reason + ")");
    }
}
