package dev.slipway.instances.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.report.Report;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * What adapters report to have been used. It changes nothing of the instance, so it is taken whatever the instance's generation is by
 * now: what was used was used. Who counts it counts it once.
 */
public final class UsageReports {
    /** Two clocks are never the same. */
    private static final Duration SKEW = Duration.ofMinutes(5);

    private static final Duration LONGEST = Duration.ofDays(31);
    private static final List<String> SAID = List.of("usage_id", "unit", "quantity", "window_start", "window_end");

    private final ManifestStore manifests;

    public UsageReports(ManifestStore manifests) {
        this.manifests = manifests;
    }

    public Future<AppInstance> used(UnitOfWork unit, Report report) {
        var instance = report.instance();
        return manifests.of(unit, instance.app().versionId()).map(manifest -> {
            var payload = report.payload();
            requireUnit(manifest, payload.path("unit").asText());
            requireWindow(instance, payload, unit.now());
            unit.announce(
                    Topics.USAGE_EVENTS,
                    instance.id().toString(),
                    "apps.instance_usage.reported",
                    event(instance, payload));
            return instance;
        });
    }

    private static ObjectNode event(AppInstance instance, JsonNode payload) {
        var node = Json.object();
        node.put("org_id", instance.orgId().toString());
        node.put("project_id", instance.projectId().toString());
        node.put("app_slug", instance.app().slug());
        node.put("app_instance_id", instance.id().toString());
        SAID.forEach(field -> node.put(field, payload.path(field).asText()));
        return node.put("command_id", payload.path("command_id").asText());
    }

    private static void requireUnit(JsonNode manifest, String unit) {
        var declared = StreamSupport.stream(manifest.path("usage_units").spliterator(), false)
                .anyMatch(each -> each.asText().equals(unit));
        if (!declared) {
            throw refused("unit", "is not one of the manifest's usage_units");
        }
    }

    private static void requireWindow(AppInstance instance, JsonNode payload, Instant now) {
        var start = time(payload, "window_start");
        var end = time(payload, "window_end");
        if (!start.isBefore(end) || Duration.between(start, end).compareTo(LONGEST) > 0) {
            throw refused("window_end", "is not after window_start, or more than 31 days after it");
        }
        if (end.isAfter(now.plus(SKEW))) {
            throw refused("window_end", "is in the future");
        }
        var deletedAt = instance.deletedAt();
        if (start.isBefore(instance.createdAt().minus(SKEW))
                || (deletedAt != null && end.isAfter(deletedAt.plus(SKEW)))) {
            throw refused("window_start", "is a time in which there was no such instance");
        }
    }

    private static Instant time(JsonNode payload, String field) {
        try {
            return OffsetDateTime.parse(payload.path(field).asText()).toInstant();
        } catch (DateTimeParseException e) {
            throw refused(field, "is not a time");
        }
    }

    private static RuntimeException refused(String field, String problem) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, problem).asException();
    }
}
