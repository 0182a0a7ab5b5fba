package dev.slipway.processadapter;

import dev.slipway.processadapter.Proc.Turn;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** Asks a young process for its health until it is well, dead, or late. */
final class Probe {
    static final String HOST = "127.0.0.1";
    private static final long EVERY_MS = 100;
    private static final int TIMEOUT_MS = 2_000;

    private final Vertx vertx;
    private final HttpClient http;

    private record Sight(
            boolean alive, @Nullable Integer port, @Nullable Long pid) {}

    Probe(Vertx vertx) {
        this.vertx = vertx;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(TIMEOUT_MS));
    }

    Future<Health> untilHealthy(ProcessDir directory, Turn turn, int seconds) {
        var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        var result = Promise.<Health>promise();
        ask(directory, turn, seconds, deadline, result);
        return result.future();
    }

    Future<Void> close() {
        return http.close();
    }

    private void ask(ProcessDir directory, Turn turn, int seconds, long deadline, Promise<Health> result) {
        if (turn.isOver()) {
            result.fail("no longer wanted");
            return;
        }
        vertx.executeBlocking(() -> new Sight(directory.isAlive(), directory.port(), directory.owner()), true)
                .compose(seen -> judge(seen, deadline, seconds))
                .onFailure(result::fail)
                .onSuccess(health -> {
                    if (health != null) {
                        result.complete(health);
                    } else {
                        vertx.setTimer(EVERY_MS, timer -> ask(directory, turn, seconds, deadline, result));
                    }
                });
    }

    /** Null when it is too early to tell. */
    private Future<@Nullable Health> judge(Sight seen, long deadline, int seconds) {
        if (!seen.alive) {
            return Future.succeededFuture(Health.failed("the process ended before it was healthy"));
        }
        if (System.nanoTime() > deadline) {
            return Future.succeededFuture(Health.failed("the process was not healthy within " + seconds + " s"));
        }
        var port = seen.port;
        var pid = seen.pid;
        if (port == null || pid == null) {
            return Future.succeededFuture(null);
        }
        return isHealthy(port).map(healthy -> healthy ? new Health(port, pid, null) : null);
    }

    private Future<Boolean> isHealthy(int port) {
        return http.request(HttpMethod.GET, port, HOST, "/health")
                .compose(request -> request.send())
                .compose(answer -> answer.body().map(body -> answer.statusCode() == 200))
                .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .otherwise(false);
    }
}
