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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/** Runs declared operations: posts the input to the path of the profile and returns the response as the output. */
final class OperationClient {
    private static final Logger LOG = LoggerFactory.getLogger(OperationClient.class);
    private static final int CONNECT_TIMEOUT_MS = 2_000;
    private static final int ANSWER_MAX_BYTES = 1 << 20;

    private final HttpClient http;

    OperationClient(Vertx vertx) {
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(CONNECT_TIMEOUT_MS));
    }

    /** Completes when the app responds or the command is canceled. The command's deadline is the time limit. */
    Future<Outcome> invoke(OperateCommand command, String url, Progress progress) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .putHeader("content-type", "application/json")
                .putHeader("x-correlation-id", command.task().correlationId())
                .putHeader("idempotency-key", command.task().commandId().toString());
        var result = Promise.<Outcome>promise();
        http.request(options)
                .compose(request -> {
                    progress.cancellation().onSuccess(ok -> cancel(request, result));
                    return request.send(Buffer.buffer(Json.bytes(command.input())))
                            .compose(response ->
                                    response.body().map(body -> parseResponse(response.statusCode(), body)));
                })
                .otherwise(e -> {
                    LOG.atWarn()
                            .addKeyValue("command_id", command.task().commandId())
                            .setCause(e)
                            .log("calling the app failed");
                    return new Failed("the app did not respond");
                })
                .onSuccess(result::tryComplete);
        return result.future();
    }

    Future<Void> close() {
        return http.close();
    }

    private static void cancel(HttpClientRequest request, Promise<Outcome> result) {
        if (result.tryComplete(new Canceled("canceled before the app responded"))) {
            var ignored = request.reset();
        }
    }

    private static Outcome parseResponse(int status, Buffer body) {
        try {
            if (status != 200) {
                return new Failed("the app returned status " + status);
            }
            return body.length() <= ANSWER_MAX_BYTES && Json.parse(body.getBytes()) instanceof ObjectNode output
                    ? new Done(output)
                    : new Failed("the app did not return a JSON object");
        } catch (IOException e) {
            return new Failed("the app did not return JSON");
        }
    }
}
