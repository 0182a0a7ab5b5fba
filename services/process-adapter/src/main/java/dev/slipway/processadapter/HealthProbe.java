package dev.slipway.processadapter;

import dev.slipway.processadapter.ManagedProcess.Attempt;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Polls the health of a new process until it is healthy, has exited or is too slow. */
final class HealthProbe {
    static final String HOST = "127.0.0.1";
    private static final long INTERVAL_MS = 100;
    private static final int TIMEOUT_MS = 2_000;

    private final Vertx vertx;
    private final HttpClient http;

    private record ProcessSnapshot(boolean alive, @Nullable Integer port) {}

    HealthProbe(Vertx vertx) {
        this.vertx = vertx;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(TIMEOUT_MS));
    }

    Future<ProbeResult> awaitHealthy(ProcessDir directory, Attempt attempt, int seconds) {
        var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        var result = Promise.<ProbeResult>promise();
        poll(directory, attempt, seconds, deadline, result);
        return result.future();
    }

    Future<Void> close() {
        return http.close();
    }

    private void poll(ProcessDir directory, Attempt attempt, int seconds, long deadline, Promise<ProbeResult> result) {
        if (attempt.isEnded()) {
            result.fail("the attempt was canceled");
            return;
        }
        vertx.executeBlocking(() -> snapshot(directory), true)
                .compose(snapshot -> evaluate(snapshot, deadline, seconds))
                .onFailure(result::fail)
                .onSuccess(probeResult -> {
                    if (probeResult != null) {
                        result.complete(probeResult);
                    } else {
                        vertx.setTimer(INTERVAL_MS, timer -> poll(directory, attempt, seconds, deadline, result));
                    }
                });
    }

    /** Ignores the port file of an earlier process until the new one has claimed the directory. */
    private static ProcessSnapshot snapshot(ProcessDir directory) throws IOException {
        return new ProcessSnapshot(directory.isAlive(), directory.ownerPid() == null ? null : directory.port());
    }

    /** Returns null while the state is undecided. */
    private Future<@Nullable ProbeResult> evaluate(ProcessSnapshot snapshot, long deadline, int seconds) {
        if (!snapshot.alive) {
            return Future.succeededFuture(ProbeResult.failed("the process exited before it was healthy"));
        }
        if (System.nanoTime() > deadline) {
            return Future.succeededFuture(ProbeResult.failed("the process was not healthy within " + seconds + " s"));
        }
        var port = snapshot.port;
        if (port == null) {
            return Future.succeededFuture(null);
        }
        return isHealthy(port).map(healthy -> healthy ? new ProbeResult(port, null) : null);
    }

    private Future<Boolean> isHealthy(int port) {
        return http.request(HttpMethod.GET, port, HOST, "/health")
                .compose(request ->
                        request.send().compose(response -> response.body().map(body -> response.statusCode() == 200)))
                .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .otherwise(false);
    }
}
