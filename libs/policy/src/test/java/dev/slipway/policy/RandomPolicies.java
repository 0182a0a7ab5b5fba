package dev.slipway.policy;

import dev.slipway.contract.Json;
import dev.slipway.policy.PolicyDocument.Denial;
import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Limit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/** Generates policy documents with keys of every type from a seed. */
final class RandomPolicies {
    static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    static final List<String> HOSTS = List.of(
            "a.example.com",
            "b.example.com",
            "*.example.com",
            "a.example.com:5000",
            "*.b.example.com",
            "x.b.example.com",
            "10.0.0.1");
    static final List<String> SOURCES = List.of(
            "a.example.com",
            "b.example.com",
            "c.example.com",
            "a.example.com:5000",
            "x.b.example.com",
            "10.0.0.1",
            "evil.com");
    static final PolicyKeys KEYS = PolicyKeys.of(List.of(
            key("any_list", "{'type': 'string_list'}"),
            key("some_list", "{'type': 'string_list', 'default': ['a', 'b', 'c']}"),
            key("hosts", "{'type': 'host_pattern_list'}"),
            key("few_hosts", "{'type': 'host_pattern_list', 'default': ['*.example.com']}"),
            key("unlimited", "{'type': 'integer'}"),
            key("limited", "{'type': 'integer', 'default': 7}"),
            key("on", "{'type': 'boolean', 'default': true}"),
            key("off", "{'type': 'boolean', 'default': false}")));

    private final Random random;

    RandomPolicies(long seed) {
        random = new Random(seed);
    }

    static PolicyKey key(String id, String body) {
        return requireNonNull(PolicyKey.of(id, 1, Json.parseStoredObject(body.replace('\'', '"'))), id);
    }

    /** Returns documents of some levels in random order. */
    List<PolicyDocument> documents() {
        var levels = new ArrayList<PolicyDocument>();
        for (var policyLevel : PolicyLevel.values()) {
            if (random.nextInt(4) > 0) {
                levels.add(document(policyLevel));
            }
        }
        java.util.Collections.shuffle(levels, random);
        return levels;
    }

    PolicyDocument document(PolicyLevel policyLevel) {
        var values = new HashMap<String, PolicyValue>();
        var denies = new HashMap<String, Denial>();
        for (var key : KEYS.byId().values()) {
            if (random.nextBoolean()) {
                values.put(key.id(), value(key));
            }
            if (key.isList() && random.nextInt(5) == 0) {
                denies.put(key.id(), new Denial(random.nextInt(8) == 0, key.listOf(subset(words(key)))));
            }
        }
        return new PolicyDocument(policyLevel, "s-" + policyLevel.text(), 1 + random.nextInt(9), values, denies);
    }

    private PolicyValue value(PolicyKey key) {
        return switch (key.type()) {
            case INTEGER -> new Limit(random.nextInt(10));
            case BOOLEAN -> new Flag(random.nextInt(3) > 0);
            case STRING_LIST, HOST_PATTERN_LIST -> key.listOf(subset(words(key)));
        };
    }

    static List<String> words(PolicyKey key) {
        return key.type() == PolicyKey.Type.HOST_PATTERN_LIST ? HOSTS : NAMES;
    }

    /** Returns entries to test a list with. */
    static List<String> candidates(PolicyKey key) {
        return key.type() == PolicyKey.Type.HOST_PATTERN_LIST ? SOURCES : NAMES;
    }

    private Set<String> subset(List<String> words) {
        var some = new LinkedHashSet<String>();
        var shuffled = new ArrayList<>(words);
        java.util.Collections.shuffle(shuffled, random);
        shuffled.forEach(word -> {
            if (random.nextInt(3) > 0) {
                some.add(word);
            }
        });
        return some;
    }

    <T> List<T> shuffled(List<T> list) {
        var copy = new ArrayList<>(list);
        java.util.Collections.shuffle(copy, random);
        return copy;
    }

    <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
