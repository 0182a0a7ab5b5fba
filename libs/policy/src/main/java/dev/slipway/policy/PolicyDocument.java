package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.policy.PolicyValue.ListValue;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The policy of one level. An absent key means no opinion; an empty list means that nothing is allowed.
 *
 * @param subject the plan's name, or the id of the organization, department, project or entitlement
 * @param version incremented by every write; 0 if the level was never written
 */
public record PolicyDocument(
        PolicyLevel level,
        String subject,
        long version,
        Map<String, PolicyValue> values,
        Map<String, Denial> hardDenies) {
    /** In a hard deny: every entry. */
    public static final String EVERYTHING = "*";

    /** The subject of the global document. */
    public static final String PLATFORM = "platform";

    /** A hard deny: entries that no level can allow. */
    public record Denial(boolean everything, ListValue listed) {
        public boolean denies(String entry) {
            return everything || listed.allows(entry);
        }

        Denial union(Denial other) {
            return new Denial(everything || other.everything, listed.union(other.listed));
        }

        public JsonNode json() {
            return everything ? Json.array().add(EVERYTHING) : listed.json();
        }
    }

    public PolicyDocument {
        values = Map.copyOf(values);
        hardDenies = Map.copyOf(hardDenies);
    }

    /** Returns the document of a level that was never written. */
    public static PolicyDocument empty(PolicyLevel policyLevel, String subject) {
        return new PolicyDocument(policyLevel, subject, 0, Map.of(), Map.of());
    }

    /** Parses a stored document, which was validated when it was written. Keys that are no longer registered are ignored. */
    public static PolicyDocument fromStored(
            PolicyKeys keys,
            PolicyLevel policyLevel,
            String subject,
            long version,
            JsonNode values,
            JsonNode hardDenies) {
        var parsedValues = new LinkedHashMap<String, PolicyValue>();
        values.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            if (key != null) {
                parsedValues.put(key.id(), key.parseStored(field.getValue()));
            }
        });
        var denied = new LinkedHashMap<String, Denial>();
        hardDenies.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            if (key != null && key.isList()) {
                denied.put(key.id(), parseDenial(key, field.getValue()));
            }
        });
        return new PolicyDocument(policyLevel, subject, version, parsedValues, denied);
    }

    /** Validates a document to be written and adds all problems, with JSON pointers to the fields. */
    public static void validate(
            PolicyKeys keys,
            PolicyLevel policyLevel,
            JsonNode values,
            String valuesPointer,
            @Nullable JsonNode hardDenies,
            List<FieldProblem> problems) {
        values.properties().forEach(field -> {
            var problem = validateKey(keys.find(field.getKey()), policyLevel);
            var key = keys.find(field.getKey());
            if (problem == null && key != null) {
                problem = key.parse(field.getValue()).error();
            }
            add(problems, valuesPointer + "/" + escapePointer(field.getKey()), problem);
        });
        if (hardDenies == null) {
            return;
        }
        hardDenies.properties().forEach(field -> {
            var key = keys.find(field.getKey());
            var problem = validateKey(key, policyLevel);
            if (problem == null && key != null) {
                problem = key.isList()
                        ? validateDenial(key, field.getValue())
                        : "is not a list: set a value instead of denying entries";
            }
            add(problems, "/hard_denies/" + escapePointer(field.getKey()), problem);
        });
    }

    private static @Nullable String validateKey(@Nullable PolicyKey key, PolicyLevel policyLevel) {
        if (key == null) {
            return "is not an active key of the policy registry";
        }
        return key.levels().contains(policyLevel) ? null : "cannot be set on the " + policyLevel.text() + " level";
    }

    private static @Nullable String validateDenial(PolicyKey key, JsonNode json) {
        return deniesEverything(json) ? null : key.parse(json).error();
    }

    private static Denial parseDenial(PolicyKey key, JsonNode json) {
        var texts = new LinkedHashSet<String>();
        json.forEach(each -> texts.add(each.asText()));
        var everything = texts.remove(EVERYTHING);
        return new Denial(everything, key.listOf(texts));
    }

    private static boolean deniesEverything(JsonNode json) {
        return json.isArray()
                && json.size() == 1
                && EVERYTHING.equals(json.path(0).asText());
    }

    private static void add(List<FieldProblem> problems, String field, @Nullable String problem) {
        if (problem != null) {
            problems.add(new FieldProblem(field, problem));
        }
    }

    private static String escapePointer(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
