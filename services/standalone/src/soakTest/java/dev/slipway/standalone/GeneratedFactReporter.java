package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.UsageFactStream;
import dev.slipway.testkit.UsageFactStream.GeneratedFact;
import dev.slipway.testkit.UsageFactStream.Kind;
import org.apache.kafka.clients.producer.RecordMetadata;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reports the usage of a project from one source by API and by topic. Half of the duplicates of a channel repeat facts of the other one, which may not
 * have been sent there yet; conflicts and corrections follow the facts that they refer to, so they stay in their channel.
 */
final class GeneratedFactReporter {
    private static final String SOURCE = "factory";
    private static final int FACTS_PER_RECORD = 100;

    private final UsageCalls calls;
    private final UUID orgId;
    private final int factsPerRequest;
    private final ApiResponse credential;
    private final UsageFactStream byApi;
    private final UsageFactStream byTopic;
    private final AtomicInteger retries = new AtomicInteger();

    GeneratedFactReporter(UsageCalls calls, UUID orgId, UUID projectId, long seed, Instant now, int factsPerRequest) {
        this.calls = calls;
        this.orgId = orgId;
        this.factsPerRequest = factsPerRequest;
        credential = calls.createCredential(projectId);
        byApi = new UsageFactStream("api", seed, now);
        byTopic = new UsageFactStream("topic", seed + 1, now);
    }

    UUID orgId() {
        return orgId;
    }

    /** Returns the quantity that the first facts of both channels must add up to. */
    long sum(int countPerChannel) {
        return byApi.sum(countPerChannel) + byTopic.sum(countPerChannel);
    }

    /** Returns how many of the first facts of both channels must be counted. */
    long countDistinct(int countPerChannel) {
        return byApi.countDistinct(countPerChannel) + byTopic.countDistinct(countPerChannel);
    }

    /** Returns the ids of the facts that are reported again with another quantity. */
    Set<String> conflicts(int countPerChannel) {
        var ids = new HashSet<String>();
        Stream.of(byApi, byTopic).forEach(stream -> IntStream.range(0, countPerChannel)
                .filter(i -> stream.kind(i) == Kind.CONFLICT)
                .forEach(i -> ids.add(stream.fact(i).id())));
        return ids;
    }

    /** Returns how often a request was repeated. */
    int retries() {
        return retries.get();
    }

    /**
     * Sends facts by API as a product does in an outage, and checks the outcome of each.
     *
     * @param onReply receives the position after each reply
     */
    void reportByApi(int from, int to, IntConsumer onReply) {
        var token = calls.token(credential, null);
        for (var first = from; first < to; first += factsPerRequest) {
            var end = Math.min(to, first + factsPerRequest);
            var response = calls.platform()
                    .anonymous()
                    .as(token)
                    .call("reportUsageFacts")
                    .header("Idempotency-Key", UUID.randomUUID().toString())
                    .body(UsageCalls.batch(SOURCE, facts(byApi, byTopic, first, end)))
                    .sendUntilFinal(reason -> retries.incrementAndGet())
                    .expect(200);
            var outcomes = response.body().path("items").findValuesAsText("outcome");
            assertThat(outcomes).hasSize(end - first);
            for (var i = first; i < end; i++) {
                assertThat(outcomes.get(i - first))
                        .as("%s", response.body().path("items").path(i - first))
                        .isIn(outcomes(byApi.kind(i)));
            }
            onReply.accept(end);
        }
    }

    /** Sends facts by topic, in order. */
    void reportByTopic(int from, int to) {
        var token = calls.token(credential, "reports");
        var sent = new ArrayList<Future<RecordMetadata>>();
        try (var producer = calls.platform().newProducer()) {
            for (var first = from; first < to; first += FACTS_PER_RECORD) {
                var end = Math.min(to, first + FACTS_PER_RECORD);
                var event = UsageCalls.event(SOURCE, facts(byTopic, byApi, first, end));
                sent.add(producer.send(calls.platform().toRecord("usage.facts", "usage-" + orgId, event, token)));
            }
        }
        sent.forEach(GeneratedFactReporter::requireSent);
    }

    /** A fact may have arrived before as a duplicate of the other channel. The reply to a retry is that to the first attempt. */
    private static List<String> outcomes(Kind kind) {
        return switch (kind) {
            case ORIGINAL, LATE, DUPLICATE -> List.of("accepted", "duplicate");
            case CONFLICT -> List.of("conflict");
            case CORRECTION -> List.of("accepted");
        };
    }

    private static List<ObjectNode> facts(UsageFactStream own, UsageFactStream other, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i ->
                        toJson(own.kind(i) == Kind.DUPLICATE && i % 2 == 0 ? other.earlierOriginal(i) : own.fact(i)))
                .toList();
    }

    private static ObjectNode toJson(GeneratedFact fact) {
        var json =
                Json.object().put("id", fact.id()).put("resource_type", "model").put("resource_id", fact.resourceId());
        return fact.corrects() == null
                ? json.put("unit", "token")
                        .put("quantity", String.valueOf(fact.quantity()))
                        .put("window_start", String.valueOf(fact.start()))
                        .put("window_end", String.valueOf(fact.end()))
                : json.put("adjustment", String.valueOf(fact.adjustment())).put("corrects", fact.corrects());
    }

    private static void requireSent(Future<RecordMetadata> record) {
        try {
            record.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
