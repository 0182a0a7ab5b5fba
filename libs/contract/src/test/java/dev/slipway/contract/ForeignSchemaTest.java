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

    private static JsonNode parsed(String json) throws IOException {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
