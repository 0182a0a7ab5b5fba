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

class ForeignSchemaTest {
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
    void faults_nameThePlace_whenTheSchemaIsWrong(String schema, String pointer) throws IOException {
        assertThat(ForeignSchema.faults("/launch", parsed(schema)))
                .extracting(FieldProblem::field)
                .contains(pointer);
    }

    @Test
    void schema_isWithoutFault_whenItRefersToItself_andItsDataLooksLikeKeywords() throws IOException {
        var schema = parsed("""
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["size"],
                 "$defs": {"size": {"type": "integer", "minimum": 1, "maximum": 8}, "tree": {"items": {"$ref": "#/$defs/tree"}}},
                 "properties": {"size": {"$ref": "#/$defs/size", "default": 2}, "default": {"type": "string"},
                                "tree": {"$ref": "#/$defs/tree"}, "kind": {"enum": [{"$ref": "nowhere"}, 1]}}}
                """);
        assertThat(ForeignSchema.faults("", schema)).isEmpty();

        var problems = new ArrayList<FieldProblem>();
        ForeignSchema.of(schema).check("/config", parsed("{\"size\": 9}"), problems);
        ForeignSchema.of(schema).check("/config", parsed("{}"), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/config/size", "/config/size");
    }

    @Test
    void check_ends_whateverThePattern() throws IOException {
        var schema = parsed("""
                {"properties": {"name": {"pattern": "^(a+)+$"}}, "patternProperties": {"^([a-z]+)*_$": {"type": "integer"}}}
                """);
        var name = "a".repeat(20_000);
        var problems = new ArrayList<FieldProblem>();

        ForeignSchema.of(schema).check("/config", Json.object().put("name", name + "!"), problems);
        ForeignSchema.of(schema).check("/config", Json.object().put("name", name), problems);
        ForeignSchema.of(schema).check("/config", Json.object().put(name + "!", "no integer"), problems);

        assertThat(ForeignSchema.faults("", schema)).isEmpty();
        assertThat(problems).extracting(FieldProblem::field).containsExactly("/config/name");
    }

    @ParameterizedTest
    @CsvSource({"'^[a-z][a-z0-9-]{0,62}$', gpu-1, Gpu", "'\\d+', about 7, seven", "'^a$', a, 'a\n'", "'ü', für, fur"})
    void pattern_meansWhatJsonSchemaSaysOfIt(String regex, String matching, String other) throws IOException {
        var schema = ForeignSchema.of(Json.object().put("pattern", regex));
        var problems = new ArrayList<FieldProblem>();

        schema.check("/matching", Json.object().textNode(matching), problems);
        schema.check("/other", Json.object().textNode(other), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/other");
    }

    /** A version that was published when patterns were Java's: its instances are still operated. */
    @Test
    void pattern_matchesNothing_whereItIsNotRe2() {
        var schema = ForeignSchema.of(Json.object().put("pattern", "^(?=.*x).*$"));
        var problems = new ArrayList<FieldProblem>();

        schema.check("/x", Json.object().textNode("x"), problems);

        assertThat(problems).extracting(FieldProblem::field).containsExactly("/x");
    }

    private static JsonNode parsed(String json) throws IOException {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
