package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.PreparingHandler;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests handlers that prepare events while earlier ones are applied. */
class PreparingHandlerTest extends InboxConsumerTestBase {
    /** The things of each committed transaction, in order. */
    private final List<List<String>> committed = new CopyOnWriteArrayList<>();

    /** Counts things. Those whose name is a number have so many items, others have one. */
    private record CountingHandler(
            Consumer<List<String>> onPrepare, BiFunction<UnitOfWork, List<String>, Future<Void>> onApply)
            implements PreparingHandler {
        @Override
        public int countItems(Envelope event) {
            var thing = event.payload().path("thing").asText();
            return thing.chars().allMatch(Character::isDigit) ? Integer.parseInt(thing) : 1;
        }

        @Override
        public Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events) {
            var things = events.stream()
                    .map(event -> event.envelope().payload().path("thing").asText())
                    .toList();
            onPrepare.accept(things);
            return unit -> {
                things.forEach(thing -> count(unit, thing));
                return onApply.apply(unit, things);
            };
        }
    }

    @Test
    void transaction_endsAfterTheEventThatReachesTheLimit() {
        var things = List.of("1", "2", "3", "4", "100", "5", "6");
        things.forEach(thing -> fixture.send(topic, thing));

        start(5, ignored -> {}, (unit, applied) -> Future.succeededFuture());

        eventually(() -> assertThat(committed.stream().flatMap(List::stream)).containsExactlyElementsOf(things));
        assertThat(committed).allSatisfy(applied -> assertThat(applied.subList(0, applied.size() - 1).stream()
                        .mapToInt(Integer::parseInt)
                        .sum())
                .isLessThan(5));
    }

    @Test
    void events_arePrepared_offTheEventLoop_whileEarlierOnesAreApplied() {
        var secondIsPrepared = Promise.<Void>promise();
        var onEventLoop = new CopyOnWriteArrayList<Boolean>();
        fixture.send(topic, "first");
        fixture.send(topic, "second");

        start(
                1,
                things -> {
                    onEventLoop.add(Context.isOnEventLoopThread());
                    if (things.contains("second")) {
                        secondIsPrepared.tryComplete();
                    }
                },
                (unit, things) -> things.contains("first") ? secondIsPrepared.future() : Future.succeededFuture());

        eventually(() -> assertThat(committed).containsExactly(List.of("first"), List.of("second")));
        assertThat(onEventLoop).containsOnly(false);
    }

    @Test
    void laterEvents_areNotApplied_untilEarlierOnesAre() {
        var failures = new AtomicInteger(3);
        Stream.of("a", "b", "c").forEach(thing -> fixture.send(topic, thing));

        start(
                1,
                things -> {},
                (unit, things) -> things.contains("a") && failures.getAndDecrement() > 0
                        ? Future.failedFuture(new IllegalStateException("not yet"))
                        : Future.succeededFuture());

        eventually(() -> assertThat(committed).containsExactly(List.of("a"), List.of("b"), List.of("c")));
        assertThat(deadLetterRecords()).isEmpty();
    }

    @Test
    void event_isSentToDeadLetterTopic_whenItCannotBePrepared() {
        Stream.of("a", "invalid", "b", "c").forEach(thing -> fixture.send(topic, thing));

        start(
                3,
                things -> {
                    if (things.contains("invalid")) {
                        throw new IllegalArgumentException("cannot be parsed");
                    }
                },
                (unit, things) -> Future.succeededFuture());

        eventually(() -> assertThat(committed.stream().flatMap(List::stream)).containsExactly("a", "b", "c"));
        assertThat(deadLetterRecords()).singleElement().satisfies(letter -> assertThat(
                        letter.envelope().payload().path("thing").asText())
                .isEqualTo("invalid"));
        assertThat(fixture.countApplications("b")).isEqualTo(1);
    }

    private void start(
            int maxItems,
            Consumer<List<String>> onPrepare,
            BiFunction<UnitOfWork, List<String>, Future<Void>> onApply) {
        var handler = new CountingHandler(onPrepare, (unit, things) -> {
            unit.afterCommit(() -> committed.add(new ArrayList<>(things)));
            return onApply.apply(unit, things);
        });
        start(Delivery.ofItems(maxItems, handler));
    }
}
