package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Progress;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;

import java.io.IOException;

/** Runs declared operations: posts the input to where the profile says, and takes the answer for the output. */
final class Operations {
    private static final int CONNECT_TIMEOUT_MS = 2_000;
    private static final int ANSWER_MAX_BYTES = 1 << 20;

    private final HttpClient http;

    Operations(Vertx vertx) {
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(CONNECT_TIMEOUT_MS));
    }

    /** Ends when the app answers, or when nobody wants to know any more: the command's deadline is the limit. */
    Future<Outcome> run(OperateCommand command, String url, Progress progress) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .putHeader("content-type", "application/json")
                .putHeader("x-correlation-id", command.task().correlationId())
                .putHeader("idempotency-key", command.task().commandId().toString());
        var result = Promise.<Outcome>promise();
        http.request(options)
                .compose(request -> {
                    progress.cancelled().onSuccess(ok -> cancel(request, result));
                    return request.send(Buffer.buffer(Json.bytes(command.input())))
                            .compose(answer -> answer.body().map(body -> read(answer.statusCode(), body)));
                })
                .otherwise(e -> new Failed("the app did not answer: " + e.getMessage()))
                .onSuccess(result::tryComplete);
        return result.future();
    }

    Future<Void> close() {
        return http.close();
    }

    private static void cancel(HttpClientRequest request, Promise<Outcome> result) {
        if (result.tryComplete(new Canceled("the app was not waited for"))) {
            var ignored = request.reset();
        }
    }

    private static Outcome read(int status, Buffer body) {
        try {
            if (status != 200) {
                return new Failed("the app answered " + status);
            }
            return body.length() <= ANSWER_MAX_BYTES && Json.parse(body.getBytes()) instanceof ObjectNode output
                    ? new Done(output)
                    : new Failed("the app did not answer with an object of JSON");
        } catch (IOException e) {
            return new Failed("the app did not answer with JSON");
        }
    }
}
