package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class SingleLineFormatTest {
    private static final Contract CONTRACT = Contract.load();
    /** Secrets and tokens, which nobody reads, and texts of several lines. */
    private static final Set<String> OTHER_TEXTS =
            Set.of("client_secret", "adapter_secret", "token", "scope", "description", "text");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[31mred",
                "a\rb",
                "a\nb",
                "a\tb",
                "a\u0000b",
                "a\u007fb",
                "a\u0085b",
                "\u061ca",
                "\u200ea",
                "\u200fa",
                "a\u2028b",
                "a\u2029b",
                "\u202agpj.exe",
                "\u202egpj.exe",
                "\u2066a",
                "\u2069a",
                "trailing\n"
            })
    void name_isRejected_withControlOrBidirectionalCharacters(String name) {
        assertThat(validate(name))
                .containsExactly(new FieldProblem(
                        "body",
                        "must not have control characters, line breaks or bidirectional formatting characters"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Team 1", "Zoë's GPUs (EU)", "研究チーム", "فريق", "צוות", "👩‍🔬 lab", "a\u00a0b"})
    void name_isAccepted_inAnyScript(String name) {
        assertThat(validate(name)).isEmpty();
    }

    @Test
    void sanitize_removesOnlyCharactersThatAreNotAllowed() {
        assertThat(SingleLine.sanitize("\u001b[1mZoë\r\n\u202e 👩‍🔬\ud800")).isEqualTo("[1mZoë 👩‍🔬");
        assertThat(SingleLine.matches(SingleLine.sanitize("a\u2028\u2066b\u0085")))
                .isTrue();
    }

    @Test
    void contract_hasNoTextInARequest_withoutAFormatOrPattern() {
        var plain = new TreeSet<String>();
        for (var path : CONTRACT.document().path("paths")) {
            for (var operation : path) {
                var schema = operation.at("/requestBody/content/application~1json/schema");
                findPlainTexts(operation.path("operationId").asText(), "", schema, new HashSet<>(), plain);
            }
        }
        CONTRACT.document()
                .path("x-slipway-schemas")
                .properties()
                .forEach(schema -> findPlainTexts(schema.getKey(), "", schema.getValue(), new HashSet<>(), plain));

        assertThat(plain).isEmpty();
        assertThat(CONTRACT.document().findValuesAsText("format")).contains(SingleLineFormat.NAME);
    }

    private static void findPlainTexts(
            String owner, String name, JsonNode declared, Set<JsonNode> parents, Set<String> plain) {
        var schema = declared.has("$ref")
                ? CONTRACT.document().at(declared.path("$ref").asText().substring(1))
                : declared;
        if (!schema.isObject() || !parents.add(schema)) {
            return;
        }
        if (schema.path("type").toString().contains("\"string\"")
                && !schema.has("pattern")
                && !schema.has("format")
                && !schema.has("enum")
                && !OTHER_TEXTS.contains(name)
                && !owner.equals("RegistryText")) {
            plain.add(owner + " " + name);
        }
        schema.path("properties")
                .properties()
                .forEach(field -> findPlainTexts(owner, field.getKey(), field.getValue(), parents, plain));
        for (var keyword : List.of("items", "additionalProperties")) {
            findPlainTexts(owner, name, schema.path(keyword), parents, plain);
        }
        for (var keyword : List.of("anyOf", "oneOf", "allOf")) {
            schema.path(keyword).forEach(part -> findPlainTexts(owner, name, part, parents, plain));
        }
        parents.remove(schema);
    }

    private static List<FieldProblem> validate(String name) {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.schemaValidator("Name").validate(TextNode.valueOf(name), problems);
        return problems;
    }
}
