package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.PlatformClient.PlatformResponseException;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Exchanges the adapter's credential for tokens: one per command, and for the adapter itself one for the API and one for heartbeats. */
final class TokenClient {
    /** Limits concurrent requests, because thousands of requests waiting for a connection would all time out. */
    private static final int CONCURRENT = 4;

    private final PlatformClient platform;
    private final Slots requestSlots = new Slots(CONCURRENT);
    private final Future<Void> never = Promise.<Void>promise().future();
    private final AdapterToken apiToken = new AdapterToken("api");
    private final AdapterToken heartbeatToken = new AdapterToken("reports");

    TokenClient(PlatformClient platform) {
        this.platform = platform;
    }

    Future<Token> exchangeForTask(Message report) {
        return requestSlots
                .acquire(never)
                .compose(acquired -> platform.postTaskTokenRequest(
                                report, report.event().correlationId())
                        .onComplete(done -> requestSlots.release()))
                .map(response -> read(response, report.commandId()));
    }

    /** Returns the adapter's own token for the API. */
    Future<Token> apiToken() {
        return apiToken.get();
    }

    /** Returns the adapter's own token for heartbeats. Records can be read by others, so it is not valid at the API. */
    Future<Token> heartbeatToken() {
        return heartbeatToken.get();
    }

    /** A token of the adapter itself, cached until shortly before it expires. Concurrent callers share one request. */
    private final class AdapterToken {
        private final String audience;
        private @Nullable Token current;
        private @Nullable Future<Token> pendingRequest;

        AdapterToken(String audience) {
            this.audience = audience;
        }

        Future<Token> get() {
            var cached = current;
            if (cached != null && cached.isValidFor(audience, Instant.now())) {
                return Future.succeededFuture(cached);
            }
            if (pendingRequest == null) {
                pendingRequest = platform.postAdapterTokenRequest(audience, "adapter-" + Ids.next())
                        .map(response -> read(response, audience))
                        .onSuccess(newToken -> current = newToken)
                        .onComplete(done -> pendingRequest = null);
            }
            return pendingRequest;
        }
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
