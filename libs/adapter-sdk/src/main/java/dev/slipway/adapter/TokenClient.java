package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.PlatformClient.PlatformResponseException;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Exchanges the adapter's credential for tokens: one per command, and one for the adapter itself. */
final class TokenClient {
    private static final String ADAPTER = "adapter";
    /** Limits concurrent requests, because thousands of requests waiting for a connection would all time out. */
    private static final int CONCURRENT = 4;

    private final PlatformClient platform;
    private final Slots requestSlots = new Slots(CONCURRENT);
    private final Future<Void> never = Promise.<Void>promise().future();
    private @Nullable Token adapterToken;
    private @Nullable Future<Token> pendingRequest;

    TokenClient(PlatformClient platform) {
        this.platform = platform;
    }

    Future<Token> exchangeForTask(Message report) {
        return requestSlots
                .acquire(never)
                .compose(acquired -> platform.postTokenRequest(
                                "/api/v1/auth/operator-token",
                                report,
                                report.event().correlationId())
                        .onComplete(done -> requestSlots.release()))
                .map(response -> read(response, report.commandId()));
    }

    /** Returns the adapter's own token, cached until shortly before it expires. Concurrent callers share one request. */
    Future<Token> adapterToken() {
        var current = adapterToken;
        if (current != null && current.isValidFor(ADAPTER, Instant.now())) {
            return Future.succeededFuture(current);
        }
        if (pendingRequest == null) {
            pendingRequest = platform.postTokenRequest("/api/v1/auth/adapter-token", null, "adapter-" + Ids.next())
                    .map(response -> read(response, ADAPTER))
                    .onSuccess(newToken -> adapterToken = newToken)
                    .onComplete(done -> pendingRequest = null);
        }
        return pendingRequest;
    }

    private static Token read(JsonNode json, String purpose) {
        try {
            var response = Json.toRecord(json, TokenResponse.class);
            var token = response.accessToken;
            if (token != null && response.expiresIn > 0) {
                return new Token(token, purpose, Instant.now().plusSeconds(response.expiresIn));
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new PlatformResponseException(502, "without a token");
    }

    private record TokenResponse(@Nullable String accessToken, int expiresIn) {}
}
