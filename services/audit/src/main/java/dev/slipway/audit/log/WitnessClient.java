package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Witness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;

/** Sends add-checkpoint requests to witnesses. */
public final class WitnessClient {
    private static final int TIMEOUT_MS = 10_000;

    private final HttpClient http;

    /** The response of a witness. */
    record WitnessResponse(int status, String body) {}

    public WitnessClient(Vertx vertx) {
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(TIMEOUT_MS));
    }

    Future<WitnessResponse> addCheckpoint(Witness witness, String body) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(witness.url() + "/add-checkpoint")
                .setTimeout(TIMEOUT_MS);
        return http.request(options)
                .compose(request -> request.send(Buffer.buffer(body)).compose(response -> response.body()
                        .map(content -> new WitnessResponse(response.statusCode(), content.toString()))));
    }
}
