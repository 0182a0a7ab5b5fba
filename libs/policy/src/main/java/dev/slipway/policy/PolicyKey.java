package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Hosts;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.Listed;
import dev.slipway.policy.PolicyValue.Texts;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Something that policy decides, as the policy registry has it.
 *
 * @param fallback what holds globally until the global level says something; null is no restriction
 * @param levels who may say something about it
 * @param options the texts that a list may hold; empty is any
 */
public record PolicyKey(
        String id, int version, Type type, @Nullable PolicyValue fallback, Set<Level> levels, Set<String> options) {
    private static final int MAX_TEXTS = 500;
    private static final int MAX_TEXT_LENGTH = 253;

    /** What kind of value it has, and with that how the levels' values become one: always by the most restrictive. */
    public enum Type {
        STRING_LIST("string_list", "intersect"),
        HOST_PATTERN_LIST("host_pattern_list", "intersect"),
        INTEGER("integer", "minimum"),
        BOOLEAN("boolean", "and");

        private final String text;
        private final String merge;

        Type(String text, String merge) {
            this.text = text;
            this.merge = merge;
        }

        public String text() {
            return text;
        }

        public String merge() {
            return merge;
        }

        static @Nullable Type of(String text) {
            return Arrays.stream(values())
                    .filter(type -> type.text.equals(text))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Either the value, or what is wrong with it. */
    public record Reading(
            @Nullable PolicyValue value, @Nullable String fault) {}

    /** From an entry of the registry; null if it makes no sense as a policy key. */
    public static @Nullable PolicyKey of(String id, int version, JsonNode body) {
        var type = Type.of(body.path("type").asText());
        if (type == null || !type.merge.equals(body.path("merge").asText(type.merge))) {
            return null;
        }
        var levels = EnumSet.noneOf(Level.class);
        for (var level : Level.values()) {
            if (!body.path("scope").isArray() || texts(body.path("scope")).contains(level.text())) {
                levels.add(level);
            }
        }
        var key = new PolicyKey(
                id, version, type, null, Collections.unmodifiableSet(levels), texts(body.path("options")));
        var fallback = body.path("default");
        if (fallback.isMissingNode() || fallback.isNull()) {
            return key;
        }
        var read = key.read(fallback);
        return read.value == null ? null : key.falling(read.value);
    }

    private PolicyKey falling(PolicyValue to) {
        return new PolicyKey(id, version, type, to, levels, options);
    }

    public boolean isList() {
        return type == Type.STRING_LIST || type == Type.HOST_PATTERN_LIST;
    }

    /** Reads what somebody wants to say about this key. */
    public Reading read(JsonNode json) {
        return switch (type) {
            case INTEGER ->
                json.isIntegralNumber() && json.canConvertToInt() && json.intValue() >= 0
                        ? new Reading(new Limit(json.intValue()), null)
                        : new Reading(null, "is not a whole number from 0");
            case BOOLEAN ->
                json.isBoolean()
                        ? new Reading(new Flag(json.booleanValue()), null)
                        : new Reading(null, "is not true or false");
            case STRING_LIST, HOST_PATTERN_LIST -> readList(json);
        };
    }

    private Reading readList(JsonNode json) {
        if (!json.isArray() || json.size() > MAX_TEXTS) {
            return new Reading(null, "is not a list of at most " + MAX_TEXTS + " texts");
        }
        var texts = new LinkedHashSet<String>();
        for (var each : json) {
            var fault = each.isTextual() ? fault(each.textValue()) : "is not a text";
            if (fault != null) {
                return new Reading(null, "has " + each + ", which " + fault);
            }
            texts.add(each.textValue());
        }
        return new Reading(listed(texts), null);
    }

    private @Nullable String fault(String text) {
        if (text.isBlank() || text.length() > MAX_TEXT_LENGTH) {
            return "is empty, or longer than " + MAX_TEXT_LENGTH + " characters";
        }
        if (!options.isEmpty() && !options.contains(text)) {
            return "is none of " + new TreeSet<>(options);
        }
        return type == Type.HOST_PATTERN_LIST ? HostPattern.fault(text) : null;
    }

    Listed listed(Set<String> texts) {
        return type == Type.HOST_PATTERN_LIST ? Hosts.of(texts) : new Texts(texts);
    }

    /** Reads what was said once. What is not to be understood any more allows nothing. */
    PolicyValue stored(JsonNode json) {
        var read = read(json).value;
        return read != null ? read : nothing();
    }

    /** The most restrictive value there is. */
    PolicyValue nothing() {
        return switch (type) {
            case INTEGER -> new Limit(0);
            case BOOLEAN -> new Flag(false);
            case STRING_LIST, HOST_PATTERN_LIST -> listed(Set.of());
        };
    }

    /** What both allow. */
    PolicyValue narrowed(PolicyValue by, PolicyValue wider) {
        if (by instanceof Limit mine && wider instanceof Limit other) {
            return mine.limit() <= other.limit() ? mine : other;
        }
        if (by instanceof Flag mine && wider instanceof Flag other) {
            return mine.on() ? other : mine;
        }
        return by instanceof Listed mine && wider instanceof Listed other ? mine.common(other) : nothing();
    }

    private static Set<String> texts(JsonNode list) {
        var texts = new LinkedHashSet<String>();
        list.forEach(each -> texts.add(each.asText()));
        return Collections.unmodifiableSet(texts);
    }
}
