package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode.Kind;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ErrorCodeTest {
    private static final Contract CONTRACT = Contract.load();

    @Test
    void of_throws_whenUnknown() {
        assertThatThrownBy(() -> ErrorCode.of("no_such_code")).hasMessageContaining("no_such_code");
        assertThatThrownBy(() -> ErrorCode.of("NOT_FOUND")).hasMessageContaining("NOT_FOUND");
    }

    @Test
    @Proves("C.01")
    void codes_matchTheContract() {
        var published = CONTRACT.document().at("/components/schemas/ErrorCode/enum");

        assertThat(StreamSupport.stream(published.spliterator(), false).map(JsonNode::asText))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList());
    }

    @Test
    void kinds_areAllUsed() {
        assertThat(Arrays.stream(ErrorCode.values())
                        .map(ErrorCode::kind)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Kind.class))))
                .isEqualTo(EnumSet.allOf(Kind.class));
    }

    @ParameterizedTest
    @EnumSource
    void envelope_isValid_forEveryCode(ErrorCode code) {
        var problem = Problem.of(code, "what happened");

        var body = Json.toObject(ErrorEnvelope.of(problem, "c-1"));

        assertThat(ErrorEnvelope.status(problem)).isBetween(400, 599);
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.responseValidator("getMe", 599).validate(body, problems);
        assertThat(problems).isEmpty();
        assertThat(body.path("code").asText()).isEqualTo(code.code());
        assertThat(body.path("correlation_id").asText()).isEqualTo("c-1");
    }

    @ParameterizedTest
    @EnumSource
    void envelope_namesTheFault_onServerErrorsOnly(ErrorCode code) {
        var problem = Problem.of(code, "what happened");

        var fault = Json.toObject(ErrorEnvelope.of(problem, "c-1"))
                .at("/details/fault")
                .asText("nobody's");

        var expected = ErrorEnvelope.status(problem) < 500
                ? "nobody's"
                : code.kind() == Kind.UNAVAILABLE_DEPENDENCY ? "dependency" : "slipway";
        assertThat(fault).isEqualTo(expected);
    }

    @Test
    void envelope_doesNotChangeTheProblem() {
        var problem = Problem.of(ErrorCode.INTERNAL_ERROR, "what happened");

        var first = Json.toObject(ErrorEnvelope.of(problem, "c-1"));

        assertThat(problem.details()).isEmpty();
        assertThat(first.at("/details/fault").asText()).isEqualTo("slipway");
    }

    @Test
    void validation_listsAllFields() {
        var problem = Problem.validation(List.of(new FieldProblem("/a", "is bad"), new FieldProblem("b", "is worse")));

        assertThat(problem.message()).isEqualTo("/a: is bad (and 1 more)");
        assertThat(problem.details().path("fields").toString())
                .isEqualTo("[{\"field\":\"/a\",\"problem\":\"is bad\"},{\"field\":\"b\",\"problem\":\"is worse\"}]");
    }
}
