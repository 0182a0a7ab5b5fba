package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import io.opentelemetry.context.Context;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ETagsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // If-Match  | version | outcome
                "            | 0       | done",
                "            | 1       | precondition_required",
                "*           | 0       | precondition_failed",
                "*           | 1       | done",
                "\"0\"         | 0       | done",
                "\"1\"         | 1       | done",
                "\"1\"         | 2       | precondition_failed",
                "\"1\"         | 0       | precondition_failed",
                "W/\"1\"       | 1       | precondition_failed",
                "\"1\", \"2\"    | 2       | done",
                "\"11\"        | 1       | precondition_failed",
            })
    void requireMatch_allowsChange_onlyWithCurrentVersion(String ifMatch, long version, String outcome) {
        var headers = ifMatch == null ? Map.<String, String>of() : Map.of("if-match", ifMatch);
        var call = new Call("putGlobalPolicy", "c-1", null, Map.of(), Map.of(), headers, null);
        var request = new Request(call, null, null, null, new ChangeContext("c-1", Context.root()));

        if (outcome.equals("done")) {
            ETags.requireMatch(request, version);
        } else {
            assertThatThrownBy(() -> ETags.requireMatch(request, version))
                    .isInstanceOfSatisfying(ProblemException.class, refused -> {
                        assertThat(refused.problem().code()).isEqualTo(ErrorCode.of(outcome));
                        assertThat(refused.problem().details().path("etag").asText())
                                .isEqualTo(ETags.of(version));
                    });
        }
    }

    @Test
    void withETag_usesVersionOfDocument_andIgnoresProblems() {
        assertThat(ETags.withETag(Reply.of(Json.object().put("version", 7))).etag())
                .isEqualTo("\"7\"");
        assertThat(ETags.withETag(Reply.of(Problem.of(ErrorCode.NOT_FOUND, "nothing")))
                        .etag())
                .isNull();
    }
}
