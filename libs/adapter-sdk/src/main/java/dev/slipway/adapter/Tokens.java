package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.PlatformClient.AnswerException;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Exchanges the adapter's credential for tokens: one that speaks for a task, and one that speaks for the adapter itself. */
final class Tokens {
    private static final String ITSELF = "itself";
    /** Who waits in line for a connection is running out of time: thousands that ask at once would all be late, again and again. */
    private static final int CONCURRENT = 4;

    private final PlatformClient platform;
    private final Slots asking = new Slots(CONCURRENT);
    private final Future<Void> never = Promise.<Void>promise().future();
    private @Nullable Token own;
    private @Nullable Future<Token> asked;

    Tokens(PlatformClient platform) {
        this.platform = platform;
    }

    Future<Token> exchange(Message report) {
        var asked = Json.object().put("app_instance_id", report.appInstanceId()).put("command_id", report.commandId());
        return asking.acquire(never)
                .compose(got -> platform.postWithCredential(
                                "/api/v1/auth/operator-token",
                                asked,
                                report.event().correlationId())
                        .onComplete(done -> asking.release()))
                .map(answer -> read(answer, report.commandId()));
    }

    /** The adapter's own, kept until shortly before it expires. Who asks while it is asked for gets the same. */
    Future<Token> own() {
        var current = own;
        if (current != null && current.serves(ITSELF, Instant.now())) {
            return Future.succeededFuture(current);
        }
        if (asked == null) {
            asked = platform.postWithCredential("/api/v1/auth/adapter-token", Json.object(), "adapter-" + Ids.next())
                    .map(answer -> read(answer, ITSELF))
                    .onSuccess(fresh -> own = fresh)
                    .onComplete(done -> asked = null);
        }
        return asked;
    }

    private static Token read(JsonNode json, String purpose) {
        if (!json.path("access_token").isTextual() || !json.path("expires_in").isInt()) {
            throw new AnswerException(502, "without a token");
        }
        var seconds = json.path("expires_in").intValue();
        return new Token(
                json.path("access_token").textValue(), purpose, Instant.now().plusSeconds(seconds));
    }
}
