package dev.slipway.contract;

import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class SchemaValidatorTest {
    private static final String IRI = "https://slipway.dev/test.json";

    private static List<FieldProblem> validate(String schema, String value) throws Exception {
        var problems = new ArrayList<FieldProblem>();
        new SchemaCompiler(Map.of(IRI, schema))
                .validatorAt(IRI)
                .validate(Json.parse(value.getBytes(StandardCharsets.UTF_8)), problems);
        return problems;
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"size\": 3}", "{\"size\": \"tiny\"}", "{\"size\": null}"})
    void validate_listsAnEnumFaultOnce(String value) throws Exception {
        var schema = """
                {"type": "object", "properties": {"size": {"type": "string", "enum": ["small", "large"]}},
                 "allOf": [{"properties": {"size": {"enum": ["small", "large"]}}}]}
                """;

        assertThat(validate(schema, value)).containsExactly(new FieldProblem("/size", "must be one of small, large"));
    }

    @Test
    void validate_listsDifferentFaultsOfOneField() throws Exception {
        var schema = "{\"properties\": {\"name\": {\"minLength\": 3, \"pattern\": \"^[a-z]+$\"}}}";

        assertThat(validate(schema, "{\"name\": \"A\"}")).hasSize(2);
    }
}
