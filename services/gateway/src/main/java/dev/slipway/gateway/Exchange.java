package dev.slipway.gateway;

import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Objects;

/** One request and its answer, as far as it has come. */
final class Exchange {
    private final HttpServerRequest request;
    private final String correlationId;
    private final CallRecords records;
    private final long startedNs = System.nanoTime();
    private @Nullable Operation operation;
    private @Nullable Principal principal;
    private Map<String, String> path = Map.of();
    private SpanContext streamSpan = SpanContext.getInvalid();
    private boolean answered;

    Exchange(HttpServerRequest request, String correlationId, CallRecords records) {
        this.request = request;
        this.correlationId = correlationId;
        this.records = records;
    }

    HttpServerRequest request() {
        return request;
    }

    String correlationId() {
        return correlationId;
    }

    Map<String, String> path() {
        return path;
    }

    void matched(Operation found, Map<String, String> parameters) {
        operation = found;
        path = parameters;
    }

    void authenticated(Principal caller) {
        principal = caller;
    }

    /** Who asks; there is one, unless the operation is public. */
    Principal principal() {
        return Objects.requireNonNull(principal, "a public operation has no principal");
    }

    boolean answered() {
        return answered;
    }

    void answer(Reply reply) {
        var problem = reply.problem();
        if (problem != null) {
            refuse(problem);
            return;
        }
        var response = request.response();
        var location = reply.location();
        if (location != null) {
            response.putHeader("Location", operation != null && operation.isTwin() ? twin(location) : location);
        }
        var revision = reply.revision();
        if (revision != null) {
            response.putHeader("X-Revision", revision.toString());
        }
        var etag = reply.etag();
        if (etag != null) {
            response.putHeader("ETag", etag);
        }
        var status = operation == null ? 200 : operation.successStatus();
        send(status, Buffer.buffer(reply.body()), null);
    }

    /** Whoever came through an admin twin finds what they made through one. */
    private static String twin(String location) {
        return location.replaceFirst("^/api/v1/", "/api/v1/admin/");
    }

    /** Begins an answer that goes on; it is on record when it has ended. */
    HttpServerResponse stream() {
        answered = true;
        streamSpan = Span.current().getSpanContext();
        return request.response()
                .setStatusCode(operation == null ? 200 : operation.successStatus())
                .setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Correlation-ID", correlationId);
    }

    /** The answer that went on has ended; with a code, not by its reader's wish. */
    void streamed(@Nullable String code) {
        record(request.response().getStatusCode(), code, streamSpan);
    }

    /** Hangs up. */
    void drop() {
        var ignored = request.connection().close();
    }

    void refuse(Problem problem) {
        var body = ErrorEnvelope.body(problem, correlationId);
        var current = problem.details().path("etag");
        if (current.isTextual()) {
            request.response().putHeader("ETag", current.textValue());
        }
        send(
                ErrorEnvelope.status(problem),
                Buffer.buffer(Json.bytes(body)),
                problem.code().code());
    }

    private void send(int status, Buffer body, @Nullable String code) {
        if (answered || request.response().closed()) {
            return;
        }
        answered = true;
        var span = Span.current().getSpanContext(); // the request's span, which is over once the answer is sent
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .putHeader("X-Correlation-ID", correlationId)
                .end(body)
                .onComplete(done -> record(status, code, span));
    }

    private void record(int status, @Nullable String code, SpanContext span) {
        var durationUs = (System.nanoTime() - startedNs) / 1_000;
        records.keep(request, operation, principal, path, status, code, correlationId, span, durationUs);
    }
}
