package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventuallyGet;

/** The calls of status tests, as an operator of the platform. */
final class StatusCalls {
    static final String SECRET = "a-secret-of-alertmanager";

    private final PlatformUnderTest platform;

    StatusCalls(PlatformUnderTest platform) {
        this.platform = platform;
    }

    static ObjectNode incident(String title) {
        return Json.object().put("title", title).put("severity", "minor");
    }

    static ObjectNode notification(String groupKey, String status, String... fingerprints) {
        var body = Json.object()
                .put("version", "4")
                .put("groupKey", groupKey)
                .put("truncatedAlerts", 0)
                .put("status", status)
                .put("receiver", "slipway")
                .put("externalURL", "http://alertmanager:9093");
        body.putObject("groupLabels").put("alertname", "SlipwayDown");
        body.putObject("commonLabels").put("alertname", "SlipwayDown").put("severity", "page");
        body.putObject("commonAnnotations").put("summary", "The gateway is unreachable.");
        var alerts = body.putArray("alerts");
        for (var fingerprint : fingerprints) {
            var alert = alerts.addObject()
                    .put("status", status)
                    .put("startsAt", "2026-11-18T09:00:00.123Z")
                    .put("endsAt", status.equals("firing") ? "0001-01-01T00:00:00Z" : "2026-11-18T09:10:00Z")
                    .put("generatorURL", "http://prometheus:9090/graph")
                    .put("fingerprint", fingerprint);
            alert.putObject("labels").put("alertname", "SlipwayDown").put("component", "gateway");
            alert.putObject("annotations").put("summary", "The gateway is unreachable.");
        }
        return body;
    }

    @CanIgnoreReturnValue
    ApiResponse sendNotification(ObjectNode notification) {
        return platform.anonymous()
                .as(SECRET)
                .call("receiveAlertmanagerWebhook")
                .body(notification)
                .send()
                .expect(200);
    }

    ApiResponse update(String id, @Nullable String status, String message) {
        var body = Json.object().put("message", message);
        if (status != null) {
            body.put("status", status);
        }
        return platform.as("platform_ops")
                .call("addIncidentUpdate")
                .path("incident_id", id)
                .body(body)
                .send();
    }

    ApiResponse change(String id, ObjectNode body) {
        return platform.as("platform_ops")
                .call("updateIncident")
                .path("incident_id", id)
                .body(body)
                .send();
    }

    ApiResponse moveMaintenance(String id, String status) {
        return platform.as("platform_ops")
                .call("moveMaintenance")
                .path("maintenance_id", id)
                .body(Json.object().put("status", status))
                .send();
    }

    ApiResponse putComponent(String etag, String name, boolean isPublic) {
        return platform.as("platform_ops")
                .call("putStatusComponent")
                .path("component_id", "forgotten")
                .header("If-Match", etag)
                .body(Json.object().put("display_name", name).put("public", isPublic))
                .send();
    }

    JsonNode getIncident(String id) {
        return platform.as("platform_ops")
                .call("getIncident")
                .path("incident_id", id)
                .send()
                .expect(200)
                .body();
    }

    JsonNode components() {
        return platform.as("platform_ops")
                .call("listStatusComponents")
                .send()
                .expect(200)
                .body()
                .path("items");
    }

    JsonNode component(String id) {
        return eventuallyGet(() -> find(components(), "component_id", id));
    }

    JsonNode posture() {
        return platform.as("platform_ops")
                .call("getStatusPosture")
                .send()
                .expect(200)
                .body()
                .path("services");
    }

    JsonNode slo(String field, String value) {
        return find(
                platform.as("platform_ops")
                        .call("listSlos")
                        .send()
                        .expect(200)
                        .body()
                        .path("items"),
                field,
                value);
    }

    JsonNode readiness() {
        return platform.as("platform_ops")
                .call("getReleaseReadiness")
                .send()
                .expect(200)
                .body();
    }

    JsonNode publicStatus() {
        return platform.anonymous().call("getPublicStatus").send().expect(200).body();
    }

    JsonNode organizationStatus(String user, UUID orgId) {
        return platform.as(user)
                .call("getOrganizationStatus")
                .path("org_id", orgId)
                .send()
                .expect(200)
                .body();
    }

    static List<String> names(JsonNode status) {
        return status.path("components").findValuesAsText("name");
    }

    static JsonNode find(JsonNode items, String field, String value) {
        return StreamSupport.stream(items.spliterator(), false)
                .filter(item -> item.path(field).asText().equals(value))
                .findFirst()
                .orElseThrow(() -> new AssertionError(field + " " + value + " is not in " + items));
    }
}
