package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;

import static org.assertj.core.api.Assertions.assertThat;

class UntrustedSchemaTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"strin\"} | /launch/type",
                "{\"minimum\":\"1\"} | /launch/minimum",
                "{\"properties\":{\"a\":{\"pattern\":\"(\"}}} | /launch/properties/a/pattern",
                "{\"properties\":{\"a\":{\"pattern\":\"^(?=.*x)y\"}}} | /launch/properties/a/pattern",
                "{\"items\":{\"pattern\":\"(a)\\\\1\"}} | /launch/items/pattern",
                "{\"pattern\":\"^.{1,4096}$\"} | /launch/pattern",
                "{\"pattern\":\"(ab?c){1000}(ab?c){1000}\"} | /launch/pattern",
                "{\"patternProperties\":{\"(?!x)/y\":true}} | /launch/patternProperties/(?!x)~1y",
                "{\"$ref\":\"https://elsewhere.example/schema\"} | /launch/$ref",
                "{\"$ref\":\"#/$defs/none\"} | /launch/$ref",
                "{\"definitions\":{\"a\":{\"$ref\":\"file:///etc/passwd\"}},\"$ref\":\"#/definitions/a\"} | /launch/$ref",
                "{\"properties\":{\"a\":{\"$id\":\"https://elsewhere.example/\"}}} | /launch/properties/a/$id",
                "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"} | /launch/$schema",
                "{\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":3,\"default\":4}}} | /launch/properties/a/default",
                "{\"$defs\":{\"s\":{\"type\":\"string\"}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/s\",\"default\":1}}} "
                        + "| /launch/properties/a/default",
            })
    void validate_namesThePointer_whenTheSchemaIsInvalid(String schema, String pointer) throws IOException {
        assertThat(UntrustedSchema.validate("/launch", parsed(schema)))
                .extracting(FieldProblem::field)
                .contains(pointer);
    }

    @Test
    void validate_rejectsPatterns_thatAreTooLong() {
        var nested = "(".repeat(50_000) + ")".repeat(50_000);
        var schema = Json.object().put("pattern", nested);
        schema.putObject("patternProperties").put(nested, true);

        assertThat(UntrustedSchema.validate("/launch", schema))
                .extracting(FieldProblem::problem)
                .containsExactly("is longer than 1000 characters", "is longer than 1000 characters");
    }

    @Test
    void validate_returnsNothing_forInnerReferencesAndDataNamedLikeKeywords() throws IOException {
        var schema = parsed("""
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["size"],
                 "$defs": {"size": {"type": "integer", "minimum": 1, "maximum": 8}, "tree": {"items": {"$ref": "#/$defs/size"}}},
                 "properties": {"size": {"$ref": "#/$defs/size", "default": 2}, "default": {"type": "string"},
                                "tree": {"$ref": "#/$defs/tree"}, "kind": {"enum": [{"$ref": "nowhere"}, 1]}}}
                """);
        assertThat(UntrustedSchema.validate("", schema)).isEmpty();

        var problems = new ArrayList<FieldProblem>();
        UntrustedSchema.of("launch.schema", schema).validateValue("/config", parsed("{\"size\": 9}"), problems);
        UntrustedSchema.of("launch.schema", schema).validateValue("/config", parsed("{}"), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/config/size", "/config/size");
    }

    @Test
    void validateValue_terminates_forEveryPattern() throws IOException {
        var schema = parsed("""
                {"properties": {"name": {"pattern": "^(a+)+$"}}, "patternProperties": {"^([a-z]+)*_$": {"type": "integer"}}}
                """);
        var name = "a".repeat(20_000);
        var problems = new ArrayList<FieldProblem>();

        UntrustedSchema.of("launch.schema", schema)
                .validateValue("/config", Json.object().put("name", name + "!"), problems);
        UntrustedSchema.of("launch.schema", schema)
                .validateValue("/config", Json.object().put("name", name), problems);
        UntrustedSchema.of("launch.schema", schema)
                .validateValue("/config", Json.object().put(name + "!", "no integer"), problems);

        assertThat(UntrustedSchema.validate("", schema)).isEmpty();
        assertThat(problems).extracting(FieldProblem::field).containsExactly("/config/name");
    }

    @ParameterizedTest
    @CsvSource({"'^[a-z][a-z0-9-]{0,62}$', gpu-1, Gpu", "'\\d+', about 7, seven", "'^a$', a, 'a\n'", "'ü', für, fur"})
    void pattern_matchesAsInJsonSchema(String regex, String matching, String other) throws IOException {
        var schema = UntrustedSchema.of("launch.schema", Json.object().put("pattern", regex));
        var problems = new ArrayList<FieldProblem>();

        schema.validateValue("/matching", Json.object().textNode(matching), problems);
        schema.validateValue("/other", Json.object().textNode(other), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/other");
    }

    /** Versions published before this rule can contain such patterns, and their instances must stay operable. */
    @Test
    void pattern_matchesNothing_whenNotRe2() {
        var schema = UntrustedSchema.of("launch.schema", Json.object().put("pattern", "^(?=.*x).*$"));
        var problems = new ArrayList<FieldProblem>();

        schema.validateValue("/x", Json.object().textNode("x"), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/x");
    }

    private static JsonNode parsed(String json) throws IOException {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
