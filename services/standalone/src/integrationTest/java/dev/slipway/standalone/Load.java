package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;

import java.io.UncheckedIOException;
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
import java.util.function.Supplier;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that launch and delete instances one after another, as careful ones do: each request has an Idempotency-Key and is sent again
 * until it is answered. What was accepted is written down, and so is every answer that no client should get. They pause for a moment
 * between launches: what counts is that requests are on their way when something breaks, and each has to be accounted for afterwards.
 */
final class Load implements AutoCloseable {
    private static final Set<Integer> MAY_PASS = Set.of(503, 504);
    private static final int MAX_LAUNCHES = 5_000;
    private static final int ONE_IN = 4;
    private static final int BEFORE_TRYING_AGAIN_MS = 100;

    private final ApiClient client;
    private final Map<UUID, String> accepted = new ConcurrentHashMap<>();
    private final Set<UUID> deleted = ConcurrentHashMap.newKeySet();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger launches = new AtomicInteger();
    private final String name = "load-" + UUID.randomUUID().toString().substring(0, 8);
    private final int maxPauseMs;
    private volatile boolean stopping;

    Load(ApiClient client, int clients, int maxPauseMs, long seed) {
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

    /** What the names of all its instances begin with. */
    String name() {
        return name;
    }

    /** Waits until so many more launches were accepted. */
    void accept(int more) {
        var enough = accepted.size() + more;
        eventually(() -> assertThat(accepted.size()).isGreaterThanOrEqualTo(enough));
    }

    /** How many launches were accepted so far. */
    int acceptedSoFar() {
        return accepted.size();
    }

    /** The accepted instances, with the correlation id that each was launched under. */
    Map<UUID, String> accepted() {
        return accepted;
    }

    /** The accepted instances that were also deleted, with acceptance. */
    Set<UUID> deleted() {
        return deleted;
    }

    /** Answers that broke the promise: neither accepted nor a clear "try again". */
    List<String> faults() {
        return faults;
    }

    /** How often each error code was the answer. */
    Map<String, Integer> refusals() {
        return refusals;
    }

    /** Lets every request that was begun come to its end. */
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
                faults.add(thread.getName() + " never got its answer");
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
            faults.add(Thread.currentThread().getName() + ": " + e + " because of " + e.getCause());
        }
    }

    private void launch(String key, boolean thenDelete) {
        var created = answered(() -> client.call("createAppInstance")
                .path("project_id", Demo.PROJECT)
                .header("Idempotency-Key", key)
                .header("X-Correlation-ID", key)
                .body(Json.object()
                        .put("app_slug", Demo.APP)
                        .put("version", Demo.VERSION)
                        .put("display_name", key))
                .send());
        var id = UUID.fromString(created.text("id"));
        accepted.put(id, key);
        if (thenDelete) {
            var gone = answered(() -> client.call("deleteAppInstance")
                    .path("project_id", Demo.PROJECT)
                    .path("app_instance_id", id)
                    .header("Idempotency-Key", key)
                    .header("X-Correlation-ID", key)
                    .send());
            deleted.add(UUID.fromString(gone.text("id")));
        }
    }

    /** Sends until there is an answer that is final. A broken connection is none, nor is "try again". */
    private Answer answered(Supplier<Answer> request) {
        return eventuallyGet(() -> {
            Answer answer;
            try {
                answer = request.get();
            } catch (UncheckedIOException e) {
                refusals.merge("broken off", 1, Integer::sum);
                pause(BEFORE_TRYING_AGAIN_MS);
                throw e;
            }
            if (answer.status() == 202) {
                return answer;
            }
            refusals.merge(answer.status() + " " + answer.text("code"), 1, Integer::sum);
            if (!MAY_PASS.contains(answer.status())) {
                faults.add(answer.status() + " " + answer.body());
            }
            pause(BEFORE_TRYING_AGAIN_MS);
            throw new IllegalStateException(answer.status() + " " + answer.body());
        });
    }

    private static void pause(long ms) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }
}
