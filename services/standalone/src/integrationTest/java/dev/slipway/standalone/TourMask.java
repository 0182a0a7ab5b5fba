package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Json;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Replaces the values that differ from run to run, and texts that are written for people. Ids and digests are numbered by their first
 * appearance in a response, so that references between responses and events stay visible; the demo's fixed ids are kept.
 */
final class TourMask {
    private static final Set<String> SECRETS = Set.of(
            "secret",
            "access_token",
            "token",
            "client_secret",
            "adapter_secret",
            "jti",
            "kid",
            "n",
            "x",
            "y",
            "thumbprint");
    private static final Set<String> PROSE =
            Set.of("message", "problem", "description", "summary", "explanation", "trust_reason");
    private static final Set<String> MEASURED = Set.of(
            "duration_ms",
            "duration_us",
            "age_seconds",
            "expires_in",
            "evidence_age_ms",
            "quantity_seconds",
            "runtime_hours",
            "lag_seconds",
            "trace_id",
            "span_id",
            "user_agent");
    private static final Set<String> CURSORS = Set.of("next_cursor", "cursor");

    private static final String FIXED_ID = "01900000-0000-7000-8000-";
    private static final Pattern VOLATILE =
            Pattern.compile("(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
                    + "|(?<digest>sha256:[0-9a-f]{64}|\\b[0-9a-f]{64}\\b)"
                    + "|(?<hash>\\b[0-9a-f]{32}\\b)"
                    + "|(?<time>\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?Z)"
                    + "|(?<token>eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+)"
                    + "|(?<port>(?<=127\\.0\\.0\\.1:)\\d+)");

    private final Map<String, String> names = new LinkedHashMap<>();
    private int ids;
    private int digests;
    private boolean numbering = true;

    /** Leaves ids and digests that no response had without a number: the order of events across topics is not fixed. */
    void stopNumbering() {
        numbering = false;
    }

    String text(String value) {
        return VOLATILE.matcher(value).replaceAll(this::replacement);
    }

    /** Returns a copy with sorted fields and masked values. */
    JsonNode json(JsonNode node) {
        return masked("", node);
    }

    private JsonNode masked(String field, JsonNode node) {
        if (node.isObject()) {
            var copy = Json.object();
            for (var name : sortedNames((ObjectNode) node)) {
                copy.set(text(name), masked(name, node.get(name)));
            }
            return copy;
        }
        if (node.isArray()) {
            var copy = Json.array();
            node.forEach(item -> copy.add(masked(field, item)));
            return copy;
        }
        if (node.isNull()) {
            return node;
        }
        if (SECRETS.contains(field) && node.isTextual()) {
            return TextNode.valueOf("<secret>");
        }
        if (CURSORS.contains(field)) {
            return TextNode.valueOf("<cursor>");
        }
        if (MEASURED.contains(field)) {
            return TextNode.valueOf("<measured>");
        }
        if (node.isTextual()) {
            return TextNode.valueOf(isProse(field, node.asText()) ? "<text>" : text(node.asText()));
        }
        return node;
    }

    /** A reason is either a code or a sentence. */
    private static boolean isProse(String field, String value) {
        return PROSE.contains(field) || (field.equals("reason") && value.contains(" "));
    }

    private static Set<String> sortedNames(ObjectNode node) {
        var sorted = new TreeSet<String>();
        node.fieldNames().forEachRemaining(sorted::add);
        return sorted;
    }

    private String replacement(MatchResult match) {
        var value = match.group();
        if (value.startsWith(FIXED_ID)) {
            return value;
        }
        if (match.group(1) != null) {
            return names.computeIfAbsent(value, id -> numbering ? "<id-" + ++ids + ">" : "<id>");
        }
        if (match.group(2) != null) {
            return names.computeIfAbsent(value, digest -> numbering ? "<digest-" + ++digests + ">" : "<digest>");
        }
        if (match.group(3) != null) {
            return "<hash>";
        }
        return value.startsWith("eyJ") ? "<token>" : value.endsWith("Z") ? "<time>" : "<port>";
    }
}
