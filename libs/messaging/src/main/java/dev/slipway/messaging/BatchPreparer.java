package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.messaging.InboxConsumer.EventBatchHandler;
import dev.slipway.messaging.InboxConsumer.PreparingHandler;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Parses polled records and divides them into batches, each of which is applied in one transaction. */
final class BatchPreparer {
    private final Vertx vertx;
    private final PreparingHandler handler;
    private final int maxItems;
    private final boolean onWorker;

    /** A record whose value is not an envelope. */
    record MalformedRecord(ReceivedRecord record, MalformedEnvelopeException reason) {}

    /**
     * The events of one transaction.
     *
     * @param end the index of the first record after the batch
     */
    record Batch(
            List<ReceivedEvent> events,
            List<MalformedRecord> malformed,
            Function<UnitOfWork, Future<Void>> work,
            int end) {}

    private BatchPreparer(Vertx vertx, PreparingHandler handler, int maxItems, boolean onWorker) {
        this.vertx = vertx;
        this.handler = handler;
        this.maxItems = maxItems;
        this.onWorker = onWorker;
    }

    /** Puts all records of a poll into one batch. The handler adds the events to their traces itself. */
    static BatchPreparer ofPolls(Vertx vertx, DeduplicatingHandler handler) {
        return new BatchPreparer(vertx, new UnlimitedHandler(handler), Integer.MAX_VALUE, false);
    }

    /** Puts all records of a poll into one batch. */
    static BatchPreparer ofPolls(Vertx vertx, Traces traces, EventBatchHandler handler) {
        var traced = new TracedHandler(traces, new UnlimitedHandler(handler));
        return new BatchPreparer(vertx, traced, Integer.MAX_VALUE, false);
    }

    /** Ends a batch after the event that reaches {@code maxItems}, and parses on a worker thread. */
    static BatchPreparer ofItems(Vertx vertx, Traces traces, PreparingHandler handler, int maxItems) {
        return new BatchPreparer(vertx, new TracedHandler(traces, handler), maxItems, true);
    }

    /** Prepares the batch that begins at an index of the records. */
    Future<Batch> prepareNext(List<ReceivedRecord> records, int start) {
        return onWorker
                ? vertx.executeBlocking(() -> parse(records, start), false)
                : Future.succeededFuture(parse(records, start));
    }

    /** Prepares some events of a batch again, whose transaction failed. */
    Future<Function<UnitOfWork, Future<Void>>> prepareAgain(List<ReceivedEvent> events) {
        return onWorker ? vertx.executeBlocking(() -> workOf(events), false) : Future.succeededFuture(workOf(events));
    }

    private Batch parse(List<ReceivedRecord> records, int start) {
        var events = new ArrayList<ReceivedEvent>();
        var malformed = new ArrayList<MalformedRecord>();
        var items = 0;
        var end = start;
        while (end < records.size() && items < maxItems) {
            var record = records.get(end);
            end++;
            if (record.value().length == 0 && Topics.isState(record.topic())) {
                continue; // a tombstone: read models delete expired rows themselves
            }
            try {
                var event = new ReceivedEvent(record, record.envelope());
                events.add(event);
                items += handler.countItems(event.envelope());
            } catch (MalformedEnvelopeException e) {
                malformed.add(new MalformedRecord(record, e));
            }
        }
        return new Batch(events, malformed, workOf(events), end);
    }

    /** An event that cannot be parsed fails the transaction, so that the batch is bisected as for any other failure. */
    private Function<UnitOfWork, Future<Void>> workOf(List<ReceivedEvent> events) {
        try {
            return handler.prepare(events);
        } catch (RuntimeException e) {
            return unit -> Future.failedFuture(e);
        }
    }

    private record UnlimitedHandler(EventBatchHandler delegate) implements PreparingHandler {
        @Override
        public int countItems(Envelope event) {
            return 0;
        }

        @Override
        public Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events) {
            return unit -> delegate.apply(unit, events);
        }
    }

    /** Adds a span to the trace of each event for the time that its transaction took. */
    private record TracedHandler(Traces traces, PreparingHandler delegate) implements PreparingHandler {
        @Override
        public int countItems(Envelope event) {
            return delegate.countItems(event);
        }

        @Override
        public Function<UnitOfWork, Future<Void>> prepare(List<ReceivedEvent> events) {
            var work = delegate.prepare(events);
            return unit -> {
                var spans = events.stream()
                        .filter(event -> event.record().headers().containsKey("traceparent"))
                        .map(this::start)
                        .toList();
                return work.apply(unit).onComplete(done -> spans.forEach(Span::end));
            };
        }

        private Span start(ReceivedEvent event) {
            var parent = Correlation.with(
                    traces.extract(event.record().headers()), event.envelope().correlationId());
            return traces.startSpan(
                    parent, SpanKind.CONSUMER, "process " + event.envelope().eventType());
        }
    }
}
