package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Schemas and values that are small and expensive to evaluate. */
class HostileSchemaTest {
    @ParameterizedTest
    @ValueSource(strings = {"allOf", "anyOf", "oneOf"})
    void validate_namesTheSubschema_whenReferencesDoubleAtEveryLevel(String keyword) {
        assertThat(UntrustedSchema.validate("/launch/schema", doublingChain(keyword, 30)))
                .singleElement()
                .satisfies(problem -> assertThat(problem.field()).startsWith("/launch/schema/$defs/level"));
        assertThat(UntrustedSchema.validate("/launch/schema", doublingChain(keyword, 12)))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.field()).startsWith("/launch/schema/$defs/level");
                    assertThat(problem.problem()).contains("2000 subschemas");
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"$ref\":\"#\"} | /$ref",
                "{\"properties\":{\"a\":{\"$ref\":\"#\"}}} | /properties/a/$ref",
                "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$ref\":\"#/$defs/a\"} | /$defs/a/$ref",
                "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/a\"}}} | /$defs/a/$ref",
                "{\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/a\"}}}} | /$defs/a/items/$ref",
                "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"not\":{\"$ref\":\"#/$defs/a\"}}},\"$ref\":\"#/$defs/a\"} "
                        + "| /$defs/b/not/$ref",
            })
    void validate_namesTheReference_whenReferencesFormACycle(String schema, String pointer) throws IOException {
        assertThat(UntrustedSchema.validate("/schema", parsed(schema)))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.field()).isEqualTo("/schema" + pointer);
                    assertThat(problem.problem()).contains("cycle");
                });
    }

    @Test
    void validate_rejectsADeepChainOfReferences() {
        var chain = Json.object().put("$ref", "#/$defs/level0");
        var definitions = chain.putObject("$defs");
        for (var level = 0; level < 900; level++) {
            definitions.putObject("level" + level).put("$ref", "#/$defs/level" + (level + 1));
        }
        definitions.putObject("level900").put("type", "string");

        assertThat(UntrustedSchema.validate("", chain))
                .extracting(FieldProblem::problem)
                .singleElement()
                .asString()
                .contains("32 levels");
    }

    @Test
    void validate_rejectsDefaultsThatTakeTooLong() {
        var schema = Json.object();
        var properties = schema.putObject("properties");
        for (var i = 0; i < 100; i++) {
            var property = properties.putObject("p" + i);
            property.set("items", alternatives(10));
            property.set("default", numbers(500));
        }

        assertThat(UntrustedSchema.validate("", schema)).isNotEmpty().last().satisfies(problem -> assertThat(
                        problem.problem())
                .contains("steps"));
    }

    @Test
    void validateValue_namesTheSchema_whenAlternativesMultiplyWithTheValue() {
        var schema = Json.object();
        schema.set("items", alternatives(500));
        assertThat(UntrustedSchema.validate("", schema)).isEmpty();

        assertThat(problemsOf(schema, numbers(2_000))).last().satisfies(problem -> {
            assertThat(problem.field()).isEqualTo("/config");
            assertThat(problem.problem()).contains("launch.schema").contains("steps");
        });
        assertThat(problemsOf(schema, numbers(5)))
                .noneMatch(problem -> problem.problem().contains("steps"));
    }

    @Test
    void validateValue_countsComparisons_whenEntriesCollide() {
        var schema = Json.object();
        var all = schema.putArray("allOf");
        for (var i = 0; i < 1_000; i++) {
            all.addObject().put("uniqueItems", true);
        }

        assertThat(problemsOf(schema, numbers(1_000)))
                .singleElement()
                .satisfies(problem -> assertThat(problem.problem()).contains("steps"));
    }

    /** Versions published before this check can contain such schemas, and their instances must stay operable. */
    @Test
    void validateValue_rejectsEveryValue_whenThePublishedSchemaIsTooComplex() throws IOException {
        for (var schema : List.of(doublingChain("allOf", 30), parsed("{\"$ref\":\"#\"}"))) {
            assertThat(problemsOf(schema, Json.object()))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.problem()).contains("launch.schema is too complex"));
        }
    }

    @Test
    void validateValue_acceptsALargeOrdinaryConfig() {
        var schema = Json.object().put("type", "object").put("additionalProperties", false);
        var properties = schema.putObject("properties");
        var value = Json.object();
        for (var i = 0; i < 900; i++) {
            properties
                    .putObject("p" + i)
                    .put("type", "string")
                    .put("maxLength", 20)
                    .put("pattern", "^[a-z]+$");
            value.put("p" + i, "abcdefgh");
        }

        assertThat(UntrustedSchema.validate("", schema)).isEmpty();
        assertThat(problemsOf(schema, value)).isEmpty();
    }

    private static List<FieldProblem> problemsOf(JsonNode schema, JsonNode value) {
        var problems = new ArrayList<FieldProblem>();
        UntrustedSchema.of("launch.schema", schema).validateValue("/config", value, problems);
        return problems;
    }

    private static ObjectNode doublingChain(String keyword, int levels) {
        var schema = Json.object().put("$ref", "#/$defs/level0");
        var definitions = schema.putObject("$defs");
        for (var level = 0; level < levels; level++) {
            var twice = definitions.putObject("level" + level).putArray(keyword);
            twice.addObject().put("$ref", "#/$defs/level" + (level + 1));
            twice.addObject().put("$ref", "#/$defs/level" + (level + 1));
        }
        definitions.putObject("level" + levels).put("type", "object");
        return schema;
    }

    private static ObjectNode alternatives(int count) {
        var schema = Json.object();
        var any = schema.putArray("anyOf");
        for (var i = 0; i < count; i++) {
            any.addObject().put("type", "string").put("maxLength", i);
        }
        return schema;
    }

    private static JsonNode numbers(int count) {
        var array = Json.array();
        for (var i = 0; i < count; i++) {
            array.add(i);
        }
        return array;
    }

    private static JsonNode parsed(String json) throws IOException {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
