package dev.slipway.audit.status.incident;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.audit.status.incident.domain.Alert;
import dev.slipway.audit.status.incident.domain.Incident.Severity;
import dev.slipway.audit.status.incident.domain.Incident.Source;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle.NewIncident;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The JSON of Alertmanager's webhook, version 4. */
final class AlertmanagerJson {
    private static final Pattern COMPONENT = Pattern.compile("[a-z][a-z0-9_-]{0,62}");
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final int MAX_TITLE_LENGTH = 200;
    private static final int MAX_COMPONENTS = 50;
    /** The end of an alert that is firing is the zero time of Go. */
    private static final Instant ZERO = Instant.parse("0001-01-01T00:00:00Z");

    private AlertmanagerJson() {}

    record NotificationBody(
            @JsonProperty("groupKey") String groupKey,
            @JsonProperty("status") String status,
            @JsonProperty("commonLabels") @Nullable Map<String, String> commonLabels,
            @JsonProperty("commonAnnotations") @Nullable Map<String, String> commonAnnotations,
            @JsonProperty("alerts") List<AlertBody> alerts) {

        boolean isResolved() {
            return status.equals("resolved");
        }

        List<Alert> toAlerts() {
            return alerts.stream().map(AlertBody::toAlert).toList();
        }

        /** The incident that the group opens: private, unless a label {@code public} is true. */
        NewIncident toNewIncident(UUID id, Predicate<UUID> isOrganization) {
            var annotations = commonAnnotations == null ? Map.<String, String>of() : commonAnnotations;
            var labels = commonLabels == null ? Map.<String, String>of() : commonLabels;
            var name = labels.getOrDefault("alertname", alerts.get(0).name());
            return new NewIncident(
                    id,
                    toTitle(annotations.getOrDefault("summary", name)),
                    annotations.get("description"),
                    toSeverity(labels.getOrDefault("severity", "")),
                    "true".equals(labels.get("public")),
                    labelValues("component", "service")
                            .filter(text -> COMPONENT.matcher(text).matches())
                            .limit(MAX_COMPONENTS)
                            .toList(),
                    labelValues("org_id")
                            .filter(text -> UUID_TEXT.matcher(text).matches())
                            .map(UUID::fromString)
                            .filter(isOrganization)
                            .toList(),
                    Source.ALERTMANAGER,
                    groupKey);
        }

        private Stream<String> labelValues(String... names) {
            return alerts.stream()
                    .flatMap(alert -> Stream.of(names).map(alert.labels::get).filter(value -> value != null))
                    .distinct();
        }
    }

    record AlertBody(
            @JsonProperty("status") String status,
            @JsonProperty("labels") Map<String, String> labels,
            @JsonProperty("startsAt") String startsAt,
            @JsonProperty("endsAt") @Nullable String endsAt,
            @JsonProperty("fingerprint") String fingerprint) {

        String name() {
            return labels.getOrDefault("alertname", fingerprint);
        }

        Alert toAlert() {
            var firing = status.equals("firing");
            var end = endsAt == null ? ZERO : OffsetDateTime.parse(endsAt).toInstant();
            return new Alert(
                    fingerprint,
                    name(),
                    firing,
                    labels,
                    OffsetDateTime.parse(startsAt).toInstant(),
                    firing || end.equals(ZERO) ? null : end);
        }
    }

    private static Severity toSeverity(String label) {
        return switch (label) {
            case "critical" -> Severity.CRITICAL;
            case "page", "error", "major" -> Severity.MAJOR;
            default -> Severity.MINOR;
        };
    }

    /** A title has one line. */
    private static String toTitle(String text) {
        var line = text.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]+", " ").strip();
        return line.length() > MAX_TITLE_LENGTH ? line.substring(0, MAX_TITLE_LENGTH) : line.isEmpty() ? "Alert" : line;
    }
}
