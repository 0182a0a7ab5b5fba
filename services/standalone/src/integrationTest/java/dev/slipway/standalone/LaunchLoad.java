package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that launch and delete instances. Each request has an Idempotency-Key and is repeated until it is answered. Records accepted
 * instances and unexpected responses. Short pauses between launches bound the number of instances to verify.
 */
final class LaunchLoad implements AutoCloseable {
    private static final int MAX_LAUNCHES = 5_000;
    private static final int ONE_IN = 4;
    private static final int BEFORE_TRYING_AGAIN_MS = 100;

    private final ApiClient client;
    private final Map<UUID, String> accepted = new ConcurrentHashMap<>();
    private final Set<UUID> deleted = ConcurrentHashMap.newKeySet();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger launches = new AtomicInteger();
    private final String name = "load-" + UUID.randomUUID().toString().substring(0, 8);
    private final int maxPauseMs;
    private volatile boolean stopping;

    LaunchLoad(ApiClient client, int clients, int maxPauseMs, long seed) {
        this.client = client;
        this.maxPauseMs = maxPauseMs;
        for (var i = 0; i < clients; i++) {
            var random = new Random(seed + i);
            var thread = new Thread(() -> run(random), name + "-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** The prefix of all display names. */
    String name() {
        return name;
    }

    /** Waits until the given number of further launches was accepted. */
    void accept(int more) {
        var enough = accepted.size() + more;
        eventually(() -> assertThat(accepted.size()).isGreaterThanOrEqualTo(enough));
    }

    /** Returns the number of accepted launches. */
    int acceptedCount() {
        return accepted.size();
    }

    /** Returns the accepted instances with their correlation ids. */
    Map<UUID, String> accepted() {
        return accepted;
    }

    /** Returns the accepted instances whose deletion was accepted. */
    Set<UUID> deleted() {
        return deleted;
    }

    /** Returns responses that were neither accepted nor retryable. */
    List<String> failures() {
        return failures;
    }

    /** Returns the number of responses by error code. */
    Map<String, Integer> refusals() {
        return refusals;
    }

    /** Waits for the running requests. */
    @Override
    public void close() {
        stopping = true;
        for (var thread : threads) {
            try {
                thread.join(150_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (thread.isAlive()) {
                failures.add(thread.getName() + " never got its answer");
            }
        }
    }

    private void run(Random random) {
        try {
            while (!stopping) {
                var number = launches.incrementAndGet();
                if (number > MAX_LAUNCHES) {
                    return;
                }
                launch(name + "-" + number, random.nextInt(ONE_IN) == 0);
                pause(random.nextInt(maxPauseMs));
            }
        } catch (RuntimeException | AssertionError e) {
            failures.add(Thread.currentThread().getName() + ": " + e + " because of " + e.getCause());
        }
    }

    private void launch(String key, boolean thenDelete) {
        var created = sendUntilFinal(client.call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .header("Idempotency-Key", key)
                .header("X-Correlation-ID", key)
                .body(Json.object()
                        .put("app_slug", DemoData.APP)
                        .put("version", DemoData.VERSION)
                        .put("display_name", key)));
        var id = UUID.fromString(created.text("id"));
        accepted.put(id, key);
        if (thenDelete) {
            var gone = sendUntilFinal(client.call("deleteAppInstance")
                    .path("project_id", DemoData.PROJECT)
                    .path("app_instance_id", id)
                    .header("Idempotency-Key", key)
                    .header("X-Correlation-ID", key));
            deleted.add(UUID.fromString(gone.text("id")));
        }
    }

    private ApiResponse sendUntilFinal(Call call) {
        var response = call.sendUntilFinal(reason -> {
            refusals.merge(reason, 1, Integer::sum);
            pause(BEFORE_TRYING_AGAIN_MS);
        });
        return response.expect(202);
    }

    private static void pause(long ms) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }
}
