package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap.ObservedRecord;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Writes arbitrary reports with arbitrary tokens to the broker. */
record RawReports(PlatformUnderTest platform) {
    /** Returns the first command of a type for an instance, such as {@code deploy}. */
    ObservedRecord command(String kind, String instance) {
        return eventuallyGet(() -> platform.events()
                .find(observedRecord -> observedRecord.type().equals("runtime.command." + kind)
                        && observedRecord.key().equals(instance))
                .get(0));
    }

    ObservedRecord command(String kind, String instance, String operation) {
        return eventuallyGet(() -> platform.events()
                .find(observedRecord -> observedRecord.type().equals("runtime.command." + kind)
                        && observedRecord.key().equals(instance)
                        && observedRecord
                                .payload()
                                .path("operation_id")
                                .asText()
                                .equals(operation))
                .get(0));
    }

    static String id(ObservedRecord command) {
        return command.event().path("event_id").asText();
    }

    /** Returns the common fields of a report on a command. */
    static ObjectNode reportFor(ObservedRecord command) {
        var payload = command.payload();
        return Json.object()
                .put("org_id", payload.path("org_id").asText())
                .put("project_id", payload.path("project_id").asText())
                .put("app_instance_id", command.key())
                .put("command_id", id(command))
                .put("generation", payload.path("generation").asInt())
                .put("operation_id", payload.path("operation_id").asText());
    }

    /** Returns the demo adapter's token for one command. */
    @CanIgnoreReturnValue
    String token(String instance, String command) {
        return token(DemoData.ADAPTER, PlatformUnderTest.ADAPTER_SECRET, instance, command);
    }

    /** Waits until the command is replicated to IAM, and returns an adapter's token for it. */
    String token(UUID adapterId, String secret, String instance, String command) {
        eventually(() -> assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.runtime_tasks WHERE command_id = '" + command + "'"))
                .isEqualTo("1"));
        return exchange(adapterId, secret, instance, command).expect(200).text("access_token");
    }

    ApiResponse exchange(UUID adapterId, String secret, String instance, String command) {
        return platform.anonymous()
                .call("exchangeOperatorToken")
                .body(Json.object()
                        .put("adapter_id", adapterId.toString())
                        .put("adapter_secret", secret)
                        .put("app_instance_id", instance)
                        .put("command_id", command))
                .send();
    }

    /** Sends a report with the demo adapter's token for its command. */
    @CanIgnoreReturnValue
    UUID send(String type, ObjectNode payload) {
        var instance = payload.path("app_instance_id").asText();
        return send(type, payload, token(instance, payload.path("command_id").asText()));
    }

    @CanIgnoreReturnValue
    UUID send(String type, ObjectNode payload, @Nullable String token) {
        var instance = payload.path("app_instance_id").asText();
        var event = new Envelope(Ids.next(), type, Instant.now(), 1, "forged-report", payload);
        platform.send("runtime.reports", instance, event, token);
        return event.eventId();
    }

    /** Waits for the rejection of a report. */
    @CanIgnoreReturnValue
    ObservedRecord rejection(UUID report) {
        return eventuallyGet(() -> platform.events()
                .find(observedRecord -> observedRecord.type().equals("runtime.report.rejected")
                        && observedRecord
                                .payload()
                                .path("report_event_id")
                                .asText()
                                .equals(report.toString()))
                .get(0));
    }
}
