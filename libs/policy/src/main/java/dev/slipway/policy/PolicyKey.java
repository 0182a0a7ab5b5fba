package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.HostPatternList;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.ListValue;
import dev.slipway.policy.PolicyValue.TextList;
import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * A key that policy documents can set, from the policy registry.
 *
 * @param defaultValue the value until the global level sets one; null means no restriction
 * @param levels the levels that may set the key
 * @param options the entries that a list may contain; empty means any
 */
public record PolicyKey(
        String id,
        int version,
        Type type,
        @Nullable PolicyValue defaultValue,
        Set<PolicyLevel> levels,
        Set<String> options) {
    private static final int MAX_TEXTS = 500;
    private static final int MAX_TEXT_LENGTH = 253;

    /** The type of the value, which determines how the levels are merged. The most restrictive value always wins. */
    public enum Type implements TextEnum {
        STRING_LIST("intersect"),
        HOST_PATTERN_LIST("intersect"),
        INTEGER("minimum"),
        BOOLEAN("and");

        private final String merge;

        Type(String merge) {
            this.merge = merge;
        }

        public String merge() {
            return merge;
        }
    }

    /** Either a value or an error. */
    public record ParseResult(
            @Nullable PolicyValue value, @Nullable String error) {}

    /** Parses a registry entry; returns null if it is not a valid policy key. */
    public static @Nullable PolicyKey of(String id, int version, JsonNode body) {
        var type = TextEnum.find(Type.class, body.path("type").asText());
        if (type == null || !type.merge.equals(body.path("merge").asText(type.merge))) {
            return null;
        }
        var levels = EnumSet.noneOf(PolicyLevel.class);
        for (var policyLevel : PolicyLevel.values()) {
            if (!body.path("scope").isArray() || texts(body.path("scope")).contains(policyLevel.text())) {
                levels.add(policyLevel);
            }
        }
        var key = new PolicyKey(
                id, version, type, null, Collections.unmodifiableSet(levels), texts(body.path("options")));
        var fallback = body.path("default");
        if (fallback.isMissingNode() || fallback.isNull()) {
            return key;
        }
        var read = key.parse(fallback);
        return read.value == null ? null : key.withDefault(read.value);
    }

    private PolicyKey withDefault(PolicyValue to) {
        return new PolicyKey(id, version, type, to, levels, options);
    }

    public boolean isList() {
        return type == Type.STRING_LIST || type == Type.HOST_PATTERN_LIST;
    }

    /** Parses a value of this key. */
    public ParseResult parse(JsonNode json) {
        return switch (type) {
            case INTEGER ->
                json.isIntegralNumber() && json.canConvertToInt() && json.intValue() >= 0
                        ? new ParseResult(new Limit(json.intValue()), null)
                        : new ParseResult(null, "must be an integer of at least 0");
            case BOOLEAN ->
                json.isBoolean()
                        ? new ParseResult(new Flag(json.booleanValue()), null)
                        : new ParseResult(null, "must be true or false");
            case STRING_LIST, HOST_PATTERN_LIST -> parseList(json);
        };
    }

    private ParseResult parseList(JsonNode json) {
        if (!json.isArray() || json.size() > MAX_TEXTS) {
            return new ParseResult(null, "must be a list of at most " + MAX_TEXTS + " strings");
        }
        var texts = new LinkedHashSet<String>();
        for (var each : json) {
            var problem = each.isTextual() ? validateText(each.textValue()) : "is not a string";
            if (problem != null) {
                return new ParseResult(null, "contains " + each + ", which " + problem);
            }
            texts.add(each.textValue());
        }
        return new ParseResult(listOf(texts), null);
    }

    private @Nullable String validateText(String text) {
        if (text.isBlank() || text.length() > MAX_TEXT_LENGTH) {
            return "is empty or longer than " + MAX_TEXT_LENGTH + " characters";
        }
        if (!options.isEmpty() && !options.contains(text)) {
            return "is not one of " + new TreeSet<>(options);
        }
        return type == Type.HOST_PATTERN_LIST ? HostPattern.validate(text) : null;
    }

    ListValue listOf(Set<String> texts) {
        return type == Type.HOST_PATTERN_LIST ? HostPatternList.of(texts) : new TextList(texts);
    }

    /** Parses a stored value. A value that is no longer valid becomes the most restrictive one. */
    PolicyValue parseStored(JsonNode json) {
        var read = parse(json).value;
        return read != null ? read : mostRestrictive();
    }

    PolicyValue mostRestrictive() {
        return switch (type) {
            case INTEGER -> new Limit(0);
            case BOOLEAN -> new Flag(false);
            case STRING_LIST, HOST_PATTERN_LIST -> listOf(Set.of());
        };
    }

    /** Returns the more restrictive combination of two values. */
    PolicyValue intersect(PolicyValue by, PolicyValue wider) {
        if (by instanceof Limit mine && wider instanceof Limit other) {
            return mine.limit() <= other.limit() ? mine : other;
        }
        if (by instanceof Flag mine && wider instanceof Flag other) {
            return mine.on() ? other : mine;
        }
        return by instanceof ListValue mine && wider instanceof ListValue other
                ? mine.intersection(other)
                : mostRestrictive();
    }

    private static Set<String> texts(JsonNode list) {
        var texts = new LinkedHashSet<String>();
        list.forEach(each -> texts.add(each.asText()));
        return Collections.unmodifiableSet(texts);
    }
}
