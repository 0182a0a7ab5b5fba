package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.policy.PolicyValue.Listed;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * What one level says. A key that is absent is no opinion; an empty list is none at all.
 *
 * @param subject whose policy it is: the plan's name, or the id of the organization, department, project or entitlement
 * @param version raised by every write; 0 when nothing was ever written
 */
public record PolicyDocument(
        Level level, String subject, long version, Map<String, PolicyValue> values, Map<String, Denial> hardDenies) {
    /** Denies all that a list could ever hold. */
    public static final String EVERYTHING = "*";

    /** The subject of the one global document. */
    public static final String PLATFORM = "platform";

    /** What is off for good: no level below can bring it back. */
    public record Denial(boolean everything, Listed listed) {
        public boolean denies(String asked) {
            return everything || listed.allows(asked);
        }

        Denial and(Denial other) {
            return new Denial(everything || other.everything, listed.and(other.listed));
        }

        public JsonNode json() {
            return everything ? Json.array().add(EVERYTHING) : listed.json();
        }
    }

    public PolicyDocument {
        values = Map.copyOf(values);
        hardDenies = Map.copyOf(hardDenies);
    }

    /** What a level says that has never said anything. */
    public static PolicyDocument silent(Level level, String subject) {
        return new PolicyDocument(level, subject, 0, Map.of(), Map.of());
    }

    /** A document that was checked when it was written. Keys that are gone from the registry are passed over. */
    public static PolicyDocument stored(
            PolicyKeys keys, Level level, String subject, long version, JsonNode values, JsonNode hardDenies) {
        var said = new LinkedHashMap<String, PolicyValue>();
        values.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            if (key != null) {
                said.put(key.id(), key.stored(field.getValue()));
            }
        });
        var denied = new LinkedHashMap<String, Denial>();
        hardDenies.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            if (key != null && key.isList()) {
                denied.put(key.id(), denial(key, field.getValue()));
            }
        });
        return new PolicyDocument(level, subject, version, said, denied);
    }

    /** Everything that is wrong with what somebody wants to write; the fields are pointers below the two given. */
    public static void check(
            PolicyKeys keys,
            Level level,
            JsonNode values,
            String valuesPointer,
            @Nullable JsonNode hardDenies,
            List<FieldProblem> problems) {
        values.properties().forEach(field -> {
            var fault = fault(keys.find(field.getKey()), level);
            var key = keys.find(field.getKey());
            if (fault == null && key != null) {
                fault = key.read(field.getValue()).fault();
            }
            add(problems, valuesPointer + "/" + escaped(field.getKey()), fault);
        });
        if (hardDenies == null) {
            return;
        }
        hardDenies.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            var fault = fault(key, level);
            if (fault == null && key != null) {
                fault = key.isList()
                        ? denialFault(key, field.getValue())
                        : "is not a list: set it to what is left instead";
            }
            add(problems, "/hard_denies/" + escaped(field.getKey()), fault);
        });
    }

    private static @Nullable String fault(@Nullable PolicyKey key, Level level) {
        if (key == null) {
            return "is not an active key of the policy registry";
        }
        return key.levels().contains(level) ? null : "cannot be set at the level " + level.text();
    }

    private static @Nullable String denialFault(PolicyKey key, JsonNode json) {
        return isEverything(json) ? null : key.read(json).fault();
    }

    private static Denial denial(PolicyKey key, JsonNode json) {
        var texts = new LinkedHashSet<String>();
        json.forEach(each -> texts.add(each.asText()));
        var everything = texts.remove(EVERYTHING);
        return new Denial(everything, key.listed(texts));
    }

    private static boolean isEverything(JsonNode json) {
        return json.isArray()
                && json.size() == 1
                && EVERYTHING.equals(json.path(0).asText());
    }

    private static void add(List<FieldProblem> problems, String field, @Nullable String fault) {
        if (fault != null) {
            problems.add(new FieldProblem(field, fault));
        }
    }

    private static String escaped(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
