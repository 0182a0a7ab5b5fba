package dev.slipway.processadapter;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Future;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Helpers to await futures with a timeout and to inspect processes. */
final class ProcessTestSupport {
    private static final int TIMEOUT_SECONDS = 60;

    private ProcessTestSupport() {}

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    static List<Long> pids(UUID instance) throws Exception {
        return ProcessTable.findByInstance(Set.of(instance)).stream()
                .map(ProcessHandle::pid)
                .toList();
    }

    static String read(String url) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
