package dev.slipway.audit;

import dev.slipway.audit.correlation.TriageLinks;
import dev.slipway.audit.evidence.EvidenceConfig;
import dev.slipway.audit.log.domain.LogOrigin;
import dev.slipway.audit.log.domain.Witness;
import dev.slipway.audit.status.StatusConfig;
import dev.slipway.settings.Settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of the audit service.
 *
 * @param accessLogRetention how long requests stay in the access log; audit records and events are kept
 * @param origin the names of the logs in checkpoints
 * @param keyRotation time between two new checkpoint keys
 * @param keyOverlap how long a key continues to sign beside its successor
 * @param witnesses cosign the checkpoints
 * @param triageLinks creates the links from a correlation id to Grafana
 * @param evidence releases and evidence
 * @param status the configuration of the status
 */
public record AuditConfig(
        Duration accessLogRetention,
        LogOrigin origin,
        Duration keyRotation,
        Duration keyOverlap,
        List<Witness> witnesses,
        TriageLinks triageLinks,
        EvidenceConfig evidence,
        StatusConfig status) {
    public static AuditConfig from(Settings settings) {
        var template = settings.text("SLIPWAY_AUDIT_LOG_ORIGIN", LogOrigin.DEFAULT);
        if (!LogOrigin.isValid(template)) {
            settings.addError("SLIPWAY_AUDIT_LOG_ORIGIN=" + template
                    + " must contain {log} or {key_hash}, and neither spaces nor a plus sign");
            template = LogOrigin.DEFAULT;
        }
        return new AuditConfig(
                settings.duration("SLIPWAY_ACCESS_LOG_RETENTION", Duration.ofDays(30)),
                new LogOrigin(template),
                settings.duration("SLIPWAY_AUDIT_KEY_ROTATION", Duration.ofDays(90)),
                settings.duration("SLIPWAY_AUDIT_KEY_OVERLAP", Duration.ofDays(7)),
                witnesses(settings),
                triageLinks(settings),
                EvidenceConfig.from(settings),
                StatusConfig.from(settings));
    }

    private static TriageLinks triageLinks(Settings settings) {
        var url = settings.text("SLIPWAY_GRAFANA_URL", "").replaceFirst("/+$", "");
        if (!url.isEmpty() && !url.matches("https?://\\S+")) {
            settings.addError("SLIPWAY_GRAFANA_URL=" + url + " must be an http or https address");
        }
        return new TriageLinks(
                url.isEmpty() ? null : url,
                settings.text("SLIPWAY_TEMPO_DATASOURCE", "tempo"),
                settings.text("SLIPWAY_LOKI_DATASOURCE", "loki"),
                settings.text("SLIPWAY_LOKI_SELECTOR", "{service_name=~\"slipway.*\"}"));
    }

    private static List<Witness> witnesses(Settings settings) {
        var witnesses = new ArrayList<Witness>();
        for (var text : settings.text("SLIPWAY_AUDIT_WITNESSES", "").split(",", -1)) {
            try {
                if (!text.isBlank()) {
                    witnesses.add(Witness.parse(text.strip()));
                }
            } catch (IllegalArgumentException e) {
                settings.addError("SLIPWAY_AUDIT_WITNESSES: " + text.strip() + " " + e.getMessage());
            }
        }
        return List.copyOf(witnesses);
    }
}
