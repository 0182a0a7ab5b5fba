package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;

/** Reads the content of evidence in any of the accepted formats. Reading can take long: do not call it on an event loop. */
public final class ContentReader {
    private static final String CONTENT = "/content";

    private final AttestationVerifier attestations;

    public ContentReader(AttestationVerifier attestations) {
        this.attestations = attestations;
    }

    /** Throws an {@link EvidenceException} if the content does not match the format. */
    public EvidenceContent read(String format, JsonNode content) {
        return switch (format) {
            case "json" -> EvidenceContent.ofJson(content, null, null, Json.object());
            case "junit" -> JUnitReader.read(requireText(content));
            case "sarif" -> readSarif(content);
            case "cyclonedx" -> readCycloneDx(content);
            case "spdx" -> readSpdx(content);
            case "dsse" -> attestations.read(content);
            default -> throw new EvidenceException("/format", "is not a known format");
        };
    }

    /** The fields of the evidence of a scan. */
    private record ScanFields(String tool, int findings, int openErrors, int triagedErrors) {}

    /** The fields of the evidence of a bill of materials. */
    private record SbomFields(String format, int components) {}

    private static String requireText(JsonNode content) {
        if (!content.isTextual()) {
            throw new EvidenceException(CONTENT, "must be a string with XML");
        }
        return content.textValue();
    }

    /** An error that is not suppressed fails the scan. If all errors are suppressed, they were triaged. */
    private static EvidenceContent readSarif(JsonNode content) {
        if (!content.path("version").asText().equals("2.1.0")
                || !content.path("runs").isArray()) {
            throw new EvidenceException(CONTENT, "is not a SARIF 2.1.0 log");
        }
        var open = 0;
        var suppressed = 0;
        var total = 0;
        var tool = "";
        for (var run : content.path("runs")) {
            tool = tool.isEmpty() ? run.at("/tool/driver/name").asText() : tool;
            for (var result : run.path("results")) {
                total++;
                if (isError(run, result)) {
                    if (result.path("suppressions").isEmpty()) {
                        open++;
                    } else {
                        suppressed++;
                    }
                }
            }
        }
        if (tool.isEmpty()) {
            throw new EvidenceException(CONTENT, "names no tool at /runs/0/tool/driver/name");
        }
        return EvidenceContent.ofJson(
                content,
                "scan",
                open > 0 ? "failed" : suppressed > 0 ? "triaged" : "passed",
                Json.toObject(new ScanFields(tool, total, open, suppressed)));
    }

    /** The level of a result is its own, or the default of its rule, or warning. */
    private static boolean isError(JsonNode run, JsonNode result) {
        if (!result.path("kind").asText("fail").equals("fail")) {
            return false;
        }
        if (result.has("level")) {
            return result.path("level").asText().equals("error");
        }
        var rules = run.at("/tool/driver/rules");
        var index = result.path("ruleIndex").asInt(-1);
        if (index >= 0) {
            return isError(rules.path(index));
        }
        for (var rule : rules) {
            if (rule.path("id").asText().equals(result.path("ruleId").asText("-"))) {
                return isError(rule);
            }
        }
        return false;
    }

    private static boolean isError(JsonNode rule) {
        return rule.at("/defaultConfiguration/level").asText().equals("error");
    }

    private static EvidenceContent readCycloneDx(JsonNode content) {
        if (!content.path("bomFormat").asText().equals("CycloneDX")
                || !content.path("specVersion").isTextual()) {
            throw new EvidenceException(CONTENT, "is not a CycloneDX document");
        }
        var fields = new SbomFields(
                "CycloneDX " + content.path("specVersion").asText(),
                content.path("components").size());
        return EvidenceContent.ofJson(content, null, "recorded", Json.toObject(fields));
    }

    private static EvidenceContent readSpdx(JsonNode content) {
        if (!content.path("spdxVersion").asText().startsWith("SPDX-")) {
            throw new EvidenceException(CONTENT, "is not an SPDX document");
        }
        var fields = new SbomFields(
                content.path("spdxVersion").asText(), content.path("packages").size());
        return EvidenceContent.ofJson(content, null, "recorded", Json.toObject(fields));
    }
}
