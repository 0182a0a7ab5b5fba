package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JsonLimitsTest {
    private static final Contract CONTRACT = Contract.load();

    @ParameterizedTest
    @ValueSource(strings = {"1e999", "1e99999999999", "-1E+999", "1e-999", "1e-99999999999", "1e00000000001", "12e399"})
    void parse_namesTheField_whenANumberIsLongWrittenOut(String number) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> parse("{\"config\":{\"list\":[1,{\"n\":" + number + "}]}}"))
                .satisfies(failure -> {
                    assertThat(Json.fieldOfFault(failure)).isEqualTo("/config/list/1/n");
                    assertThat(Json.describeFault(failure))
                            .isEqualTo("is a number of more than 400 digits without exponent");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.7976931348623157e308", "5e-324", "-2.2250738585072014E-308", "0", "-1.5", "1e+2"})
    void parse_acceptsEveryDouble_alsoAsItIsWrittenBack(String number) throws IOException {
        var written = Json.text(Json.parse(bytes(number)));

        assertThatCode(() -> parse(written)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"400, true", "401, false"})
    void parse_limitsTheLengthOfIntegers(int digits, boolean accepted) {
        assertThat(accepts("{\"n\":" + "7".repeat(digits) + "}")).isEqualTo(accepted);
    }

    @Test
    void parse_namesTheObjectOrArray_thatIsTooLarge() {
        var names = object(JsonLimits.MAX_PROPERTIES + 1, i -> "k" + i);
        var items = "[" + "0,".repeat(JsonLimits.MAX_ITEMS) + "0]";
        var arrays = "[" + "[],".repeat(JsonLimits.MAX_ITEMS) + "[]]";

        assertThat(accepts(object(JsonLimits.MAX_PROPERTIES, i -> "k" + i))).isTrue();
        assertThat(accepts("[" + "0,".repeat(JsonLimits.MAX_ITEMS - 1) + "0]")).isTrue();
        assertThat(fieldOfFault("{\"a\":[{},{\"b\":" + names + "}]}")).isEqualTo("/a/1/b");
        assertThat(fieldOfFault("{\"a\":[1,{\"b\":" + items + "}]}")).isEqualTo("/a/1/b");
        assertThat(fieldOfFault("{\"a\":" + arrays + "}")).isEqualTo("/a");
        assertThat(fieldOfFault(names)).isEqualTo("body");
    }

    @Test
    void parse_limitsTheNumberOfValuesOfADocument() {
        var list = "[" + "0,".repeat(8_999) + "0]";

        assertThat(accepts("[" + list + ("," + list).repeat(4) + "]")).isTrue();
        assertThat(fieldOfFault("[" + list + ("," + list).repeat(5) + "]")).isEqualTo("body");
    }

    /** Compares with names that do not collide: 28,000 colliding ones took 43 seconds before there were limits. */
    @Test
    void parse_takesNoLonger_whenNamesCollide() {
        var colliding = bytes(object(28_000, JsonLimitsTest::collidingName));
        var random = bytes(object(28_000, i -> String.format("k%015d", i)));
        var randomNs =
                IntStream.range(0, 30).mapToLong(i -> nanos(random)).min().orElseThrow();
        var collidingNs =
                IntStream.range(0, 30).mapToLong(i -> nanos(colliding)).min().orElseThrow();

        assertThat(collidingNs).isLessThan(20 * randomNs + 1_000_000);
    }

    @Test
    void problem_listsTwentyFields_andTheirNumber() throws IOException {
        var problems = validate(object(50, i -> "k" + i));

        var details = Problem.validation(problems).details();

        assertThat(details.path("fields")).hasSize(20);
        assertThat(details.path("field_count").intValue()).isEqualTo(problems.size());
        assertThat(Problem.validation(problems.subList(0, 20)).details().has("field_count"))
                .isFalse();
    }

    @Test
    void problem_isSmallerThanItsRequest_whenFieldNamesAreLong() throws IOException {
        var body = object(1_000, i -> "k".repeat(900) + i);

        var problem = Problem.validation(validate(body));

        assertThat(ErrorEnvelope.of(problem, "id").toBytes().length).isLessThan(body.length() / 50);
    }

    /** Counts digits as they are stored: 600 bytes of 1e399 would be 40 KB. */
    @ParameterizedTest
    @CsvSource({"createAppInstance, config, 32", "planAppInstance, config, 32", "runInstanceOperation, input, 64"})
    void parseBody_measuresAFieldAsSent_withNumbersWrittenOut(String operationId, String field, int maxKib) {
        var operation = CONTRACT.operation(operationId);
        var atLimit = "{\"t\":\"" + "x".repeat(maxKib * 1024 - 8) + "\"}";
        var numbers = "{\"n\":[" + "1e399,".repeat(maxKib * 1024 / 400) + "1e399]}";

        assertThat(atLimit).hasSize(maxKib * 1024);
        assertThatCode(() -> operation.parseBody(bytes("{\"" + field + "\":" + atLimit + ",\"x\":1e399}")))
                .doesNotThrowAnyException();
        for (var larger : List.of(atLimit.replaceFirst("x", "xx"), atLimit.replaceFirst(":", ": "), numbers)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> operation.parseBody(bytes("{\"a\":[1],\"" + field + "\":" + larger + "}")))
                    .satisfies(failure -> {
                        assertThat(Json.codeOfFault(failure)).isEqualTo(ErrorCode.VALIDATION_ERROR);
                        assertThat(Json.fieldOfFault(failure)).isEqualTo("/" + field);
                        assertThat(Json.describeFault(failure)).isEqualTo("is larger than " + maxKib + " KiB");
                    });
        }
    }

    @Test
    void publicOperations_acceptAFewKibibytesOnly() {
        assertThat(CONTRACT.operation("exchangeApiKeyToken").maxBodyBytes()).isEqualTo(16 * 1024);
        assertThat(CONTRACT.operation("createAppInstance").maxBodyBytes()).isEqualTo(1024 * 1024);
    }

    @ParameterizedTest
    @CsvSource({
        "2027-01-01T00:00:00Z, true",
        "2027-01-01t00:00:00.5+01:00, true",
        "2027-01-01 00:00:00Z, false",
        "2027-01-01_00:00:00Z, false",
        "2027-01-01, false",
        "'', false"
    })
    void validate_rejectsATime_thatServicesCannotParse(String time, boolean accepted) throws IOException {
        var schema = UntrustedSchema.of("schema", Json.parse(bytes("{\"type\":\"string\",\"format\":\"date-time\"}")));
        var problems = new ArrayList<FieldProblem>();

        schema.validateValue("/expires_at", TextNode.valueOf(time), problems);

        assertThat(problems)
                .isEqualTo(accepted ? List.of() : List.of(new FieldProblem("/expires_at", "is not a valid date-time")));
    }

    private static List<FieldProblem> validate(String json) throws IOException {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.schemaValidator("TokenRequest").validate(Json.parse(bytes(json)), problems);
        return problems;
    }

    /** "Aa" and "BB" have one hash code, and so do all texts of the same number of them. */
    private static String collidingName(int number) {
        return IntStream.range(0, 15)
                .mapToObj(bit -> (number >> bit & 1) == 0 ? "Aa" : "BB")
                .collect(Collectors.joining());
    }

    private static String object(int properties, IntFunction<String> name) {
        return IntStream.range(0, properties)
                .mapToObj(i -> "\"" + name.apply(i) + "\":0")
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static long nanos(byte[] json) {
        var start = System.nanoTime();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> Json.parse(json));
        return System.nanoTime() - start;
    }

    private static String fieldOfFault(String json) {
        try {
            parse(json);
            return "none";
        } catch (IOException e) {
            return Json.fieldOfFault(e);
        }
    }

    private static boolean accepts(String json) {
        return fieldOfFault(json).equals("none");
    }

    private static void parse(String json) throws IOException {
        assertThat(Json.parse(bytes(json))).isNotNull();
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
