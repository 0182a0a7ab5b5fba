package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Matcher;

import static dev.slipway.standalone.ContractRequests.required;
import static dev.slipway.standalone.ContractRequests.resolve;

/** Generates JSON from a schema of the contract, and mutates it. */
final class JsonFuzzer {
    /** A text that is replaced by a literal which the tree cannot represent. */
    private static final String PLACEHOLDER = "@literal@";

    private static final String LITERAL = "\"" + PLACEHOLDER + "\"";

    private static final List<String> LITERALS = List.of(
            "1e390",
            "1e400",
            "1e99999999999",
            "1e-99999999999",
            "-0",
            "-0.0",
            "1E+2",
            "0.1e1",
            "01",
            "0x10",
            "NaN",
            "-Infinity",
            "9".repeat(399),
            "9".repeat(5_000),
            "1." + "0".repeat(398),
            "\"\\ud800\"",
            "\"\\u0000\"",
            "\"\\u001b[0m\"",
            "\"a\tb\"",
            "\"\\x\"",
            "'single'",
            "undefined",
            "",
            "/**/1",
            "{\"a\":1,\"a\":2}",
            "{\"\":{}}",
            "{\"__proto__\":{}}",
            "[".repeat(63) + "]".repeat(63),
            "[".repeat(2_000),
            "{\"a\":".repeat(70) + "1" + "}".repeat(70));

    static final List<String> TEXTS = List.of(
            "",
            " ",
            "a",
            "0",
            "-1",
            "null",
            "x".repeat(129),
            "x".repeat(40_000),
            "ü".repeat(200),
            "\ud83d\ude80",
            "\u202eabc",
            "a\u0301",
            "İ",
            "\r\nX-Injected: 1",
            "\u001b[31m",
            "\u007f",
            "\ufeff",
            "'; DROP TABLE apps; --",
            "%s%n%x",
            "${jndi:ldap://x}",
            "../../etc/passwd",
            "*",
            "*.example.com",
            "a.b.c.d",
            "1.0.0-rc.1+build",
            "99999999999999999999.0.0",
            "2030-01-01T00:00:00Z",
            "2030-01-01 00:00:00Z",
            "2030-02-30T00:00:00Z",
            "2030-01-01T24:00:00Z",
            "2030-01-01T23:59:60Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "2030-01-01T00:00:00+23:59",
            "2030-01-01t00:00:00z",
            "00000000-0000-0000-0000-000000000000",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "https://user:password@[::1]:99999/a?b#c",
            "oci://registry.example.com/a/../b@sha256:0",
            "file:///etc/passwd");

    private final Random random;
    private final Map<String, String> validValues;

    JsonFuzzer(Random random, Map<String, String> validValues) {
        this.random = random;
        this.validValues = validValues;
    }

    /** Returns a value that the schema accepts, as far as keywords are simple; optional fields are left out at random. */
    JsonNode generate(String name, JsonNode unresolved, int depth) {
        var schema = resolve(unresolved);
        if (name.equals("manifest") && depth > 0) {
            return manifest();
        }
        if (schema.has("const")) {
            return schema.get("const");
        }
        if (schema.has("enum")) {
            return pick(schema.get("enum"));
        }
        for (var choice : List.of("oneOf", "anyOf")) {
            if (schema.has(choice) && !schema.has("properties")) {
                return generate(name, pick(schema.get(choice)), depth);
            }
        }
        return switch (type(schema)) {
            case "object" -> object(schema, depth);
            case "array" -> array(name, schema, depth);
            case "integer" -> JsonNodeFactory.instance.numberNode(integer(schema));
            case "number" -> JsonNodeFactory.instance.numberNode(new BigDecimal("0.5"));
            case "boolean" -> JsonNodeFactory.instance.booleanNode(random.nextBoolean());
            default -> TextNode.valueOf(text(name, schema));
        };
    }

    /** Returns a value of a parameter that the schema accepts, as far as keywords are simple. */
    String generateText(String name, JsonNode schema) {
        return generate(name, schema, 0).asText();
    }

    private static String type(JsonNode schema) {
        var type = schema.path("type");
        if (type.isArray()) {
            return type.path(0).asText();
        }
        return type.isMissingNode() && schema.has("properties") ? "object" : type.asText();
    }

    private ObjectNode object(JsonNode schema, int depth) {
        var object = Json.object();
        var required = required(schema);
        schema.path("properties").properties().forEach(property -> {
            if (required.contains(property.getKey()) || (depth < 6 && random.nextInt(3) == 0)) {
                object.set(property.getKey(), generate(property.getKey(), property.getValue(), depth + 1));
            }
        });
        if (!schema.has("properties")) {
            object.put("good", "good");
        }
        return object;
    }

    private ArrayNode array(String name, JsonNode schema, int depth) {
        var array = Json.array();
        var count = Math.max(schema.path("minItems").asInt(), random.nextInt(3));
        for (var i = 0; i < count; i++) {
            array.add(generate(name, schema.path("items"), depth + 1));
        }
        return array;
    }

    private long integer(JsonNode schema) {
        var minimum = schema.path("minimum").asLong();
        var maximum = schema.path("maximum").asLong(Integer.MAX_VALUE);
        return switch (random.nextInt(4)) {
            case 0 -> minimum;
            case 1 -> maximum;
            default -> Math.min(maximum, minimum + random.nextInt(10));
        };
    }

    private String text(String name, JsonNode schema) {
        if (name.equals("slug") || name.equals("name")) {
            return "good-" + random.nextInt(1_000);
        }
        if (validValues.containsKey(name)) {
            return validValues.get(name);
        }
        return switch (schema.path("format").asText()) {
            case "uuid" -> new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0000L | random.nextInt()).toString();
            case "date-time" -> "2999-01-01T00:00:00Z";
            case "date" -> "2030-01-01";
            case "uri" -> "https://example.com/a";
            default ->
                "good"
                        .repeat(20)
                        .substring(
                                0,
                                Math.max(
                                        schema.path("minLength").asInt(),
                                        Math.min(4, schema.path("maxLength").asInt(4))));
        };
    }

    private JsonNode manifest() {
        var text = random.nextBoolean() ? DemoData.manifest() : DemoData.nextManifest();
        var manifest = Json.parseTrusted(text.getBytes(StandardCharsets.UTF_8));
        mutate(manifest);
        return manifest;
    }

    /** Changes one to three places of the tree. */
    void mutate(JsonNode tree) {
        for (var i = random.nextInt(3); i >= 0; i--) {
            var containers = new ArrayList<JsonNode>();
            collect(tree, containers);
            if (!containers.isEmpty()) {
                mutateOne(pick(containers));
            }
        }
    }

    private static void collect(JsonNode node, List<JsonNode> containers) {
        if (node.isContainerNode()) {
            containers.add(node);
            node.forEach(child -> collect(child, containers));
        }
    }

    private void mutateOne(JsonNode container) {
        if (container instanceof ObjectNode object) {
            var names = new ArrayList<String>();
            object.fieldNames().forEachRemaining(names::add);
            switch (names.isEmpty() ? 0 : random.nextInt(6)) {
                case 0 -> object.set(pick(TEXTS), oddValue());
                case 1 -> object.remove(pick(names));
                case 2 -> object.set(pick(names), object.deepCopy());
                default -> object.set(pick(names), oddValue());
            }
        } else if (container instanceof ArrayNode array) {
            switch (array.isEmpty() ? 0 : random.nextInt(4)) {
                case 0 -> array.add(oddValue());
                case 1 -> array.remove(random.nextInt(array.size()));
                case 2 -> array.add(array.get(random.nextInt(array.size())).deepCopy());
                default -> array.set(random.nextInt(array.size()), oddValue());
            }
        }
    }

    private JsonNode oddValue() {
        var nodes = JsonNodeFactory.instance;
        return switch (random.nextInt(16)) {
            case 0 -> nodes.nullNode();
            case 1 -> nodes.booleanNode(random.nextBoolean());
            case 2 -> nodes.numberNode(random.nextInt(3) - 1);
            case 3 -> nodes.numberNode(random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
            case 4 -> nodes.numberNode(BigInteger.TWO.pow(64));
            case 5 -> nodes.numberNode(new BigDecimal("0.1"));
            case 6 -> nodes.arrayNode();
            case 7 -> nodes.objectNode();
            case 8 -> repeated(random.nextBoolean() ? 20 : 11_000);
            case 9 -> fields(random.nextBoolean() ? 30 : 1_100);
            case 10, 11 -> TextNode.valueOf(PLACEHOLDER);
            default -> TextNode.valueOf(pick(TEXTS));
        };
    }

    private static ArrayNode repeated(int count) {
        var array = Json.array();
        for (var i = 0; i < count; i++) {
            array.add("good");
        }
        return array;
    }

    private static ObjectNode fields(int count) {
        var object = Json.object();
        for (var i = 0; i < count; i++) {
            object.put("field" + i, i);
        }
        return object;
    }

    /** Returns the bytes of the tree. */
    byte[] write(JsonNode tree) {
        var text = Json.text(tree);
        while (text.contains(LITERAL)) {
            text = text.replaceFirst(LITERAL, Matcher.quoteReplacement(pick(LITERALS)));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the bytes of the tree with a place that is not JSON, not UTF-8 or not the tree. */
    byte[] writeMalformed(JsonNode tree) {
        var bytes = write(tree);
        return switch (random.nextInt(8)) {
            case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 1 -> insert(bytes, 0xff);
            case 2 -> insert(bytes, 0xc0, 0x80);
            case 3 -> insert(bytes, random.nextInt(0x20));
            case 4 -> insert(bytes, 0xed, 0xa0, 0x80);
            case 5 -> Json.text(tree).getBytes(StandardCharsets.UTF_16);
            case 6 -> (Json.text(tree) + "x").getBytes(StandardCharsets.UTF_8);
            default -> pick(LITERALS).getBytes(StandardCharsets.UTF_8);
        };
    }

    private byte[] insert(byte[] bytes, int... inserted) {
        var at = random.nextInt(bytes.length + 1);
        var result = Arrays.copyOf(bytes, bytes.length + inserted.length);
        System.arraycopy(bytes, at, result, at + inserted.length, bytes.length - at);
        for (var i = 0; i < inserted.length; i++) {
            result[at + i] = (byte) inserted[i];
        }
        return result;
    }

    <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private JsonNode pick(JsonNode array) {
        return array.get(random.nextInt(array.size()));
    }
}
