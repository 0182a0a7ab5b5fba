package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class FaultLimitTest {
    private static final int MAX_FOUND = Problem.MAX_FIELDS + 1;
    private static final String IRI = "https://slipway.dev/test.json";

    @Test
    void validate_stops_whenAnObjectHasManyUnknownFields() {
        var schema = schema("{\"properties\":{\"a\":{}},\"additionalProperties\":false}");

        assertThat(validate(schema, object(1_000, i -> "k" + i))).hasSize(MAX_FOUND);
        assertThat(validate(schema, object(3, i -> "k" + i)))
                .containsExactly(
                        new FieldProblem("/k0", "is not a field of this object"),
                        new FieldProblem("/k1", "is not a field of this object"),
                        new FieldProblem("/k2", "is not a field of this object"));
        assertThat(validate(schema, object(1, i -> "a"))).isEmpty();
    }

    @Test
    void validate_stops_whenManyEntriesAreInvalid() {
        var lists = schema("{\"items\":{\"items\":{\"type\":\"string\"}}}");
        var maps = schema("{\"additionalProperties\":{\"type\":\"string\"}}");
        var nested = Json.array();
        IntStream.range(0, 100).forEach(i -> nested.add(array(100)));

        assertThat(validate(lists, nested))
                .hasSize(MAX_FOUND)
                .contains(new FieldProblem("/0/20", "must be of type string"));
        assertThat(validate(maps, object(1_000, i -> "k" + i))).hasSize(MAX_FOUND);
    }

    /** Faults of alternatives that do not apply are no faults of the document. */
    @Test
    void validate_acceptsAValue_whenAnotherAlternativeHasManyFaults() {
        var schema = schema("{\"anyOf\":[{\"items\":{\"type\":\"string\"}},{\"items\":{\"type\":\"integer\"}}]}");
        var oneOf = schema("{\"oneOf\":[{\"items\":{\"type\":\"string\"}},{\"items\":{\"type\":\"integer\"}}]}");
        var not = schema("{\"not\":{\"items\":{\"type\":\"string\"}}}");

        for (var valid : List.of(schema, oneOf, not)) {
            assertThat(validate(valid, array(5_000))).isEmpty();
        }
        assertThat(validate(schema, array(5_000).add(true))).isNotEmpty();
    }

    /** An invalid entry behind thousands of valid ones is found. */
    @Test
    void validate_findsTheLastFault() {
        var schema = schema("{\"items\":{\"type\":\"integer\"}}");

        assertThat(validate(schema, array(5_000).add(true)))
                .containsExactly(new FieldProblem("/5000", "must be of type integer"));
    }

    /** Compares colliding with random names, and twice as much input with once as much. */
    @Test
    void validate_takesTimeInProportionToTheInput_whenNamesCollide() {
        var schema = schema("{\"items\":{\"additionalProperties\":false}}");
        var random = Json.array().add(object(1_000, i -> String.format("k%015d", i)));
        var colliding = Json.array().add(object(1_000, FaultLimitTest::collidingName));
        var twice = colliding.deepCopy().addAll(colliding);

        assertThat(collidingName(7)).hasSameHashCodeAs(collidingName(900)).isNotEqualTo(collidingName(900));
        assertThat(validate(schema, colliding))
                .hasSameSizeAs(validate(schema, random))
                .hasSize(MAX_FOUND);
        var randomNs = fastest(schema, random);
        var collidingNs = fastest(schema, colliding);
        assertThat(collidingNs).isLessThan(20 * randomNs + 1_000_000);
        assertThat(fastest(schema, twice)).isLessThan(4 * collidingNs + 1_000_000);
    }

    private static long fastest(SchemaValidator schema, JsonNode value) {
        return IntStream.range(0, 50)
                .mapToLong(i -> {
                    var start = System.nanoTime();
                    assertThat(validate(schema, value)).hasSize(MAX_FOUND);
                    return System.nanoTime() - start;
                })
                .min()
                .orElseThrow();
    }

    private static SchemaValidator schema(String text) {
        return new SchemaCompiler(Map.of(IRI, text)).validatorAt(IRI);
    }

    private static List<FieldProblem> validate(SchemaValidator schema, JsonNode value) {
        var problems = new ArrayList<FieldProblem>();
        schema.validate(value, problems);
        return problems;
    }

    private static ArrayNode array(int size) {
        var array = Json.array();
        IntStream.range(0, size).forEach(array::add);
        return array;
    }

    private static JsonNode object(int properties, IntFunction<String> name) {
        var object = Json.object();
        IntStream.range(0, properties).forEach(i -> object.put(name.apply(i), i));
        return object;
    }

    /** "Aa" and "BB" have one hash code, and so do all texts of the same number of them. */
    private static String collidingName(int number) {
        var name = new StringBuilder();
        IntStream.range(0, 15).forEach(bit -> name.append((number >> bit & 1) == 0 ? "Aa" : "BB"));
        return name.toString();
    }
}
