package dev.slipway.messaging;

import dev.slipway.contract.Ids;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tells everything again, from the database, to topics that have not been told: because the broker lost them, because the platform moved
 * to another broker, or because this version of a service tells more than the one before. Compaction keeps the last record of every key
 * for ever, so a topic that was told once stays told. Which ones were is in the service's table {@code announced}.
 *
 * @param <T> what the records are told through
 */
public final class Retelling<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Retelling.class);
    private static final int PAGE = 500;
    private static final UUID NIL = new UUID(0, 0);
    /** Of two who start at once, the second finds it done. */
    private static final String LOCK = "LOCK TABLE announced IN SHARE ROW EXCLUSIVE MODE";

    private static final String TOLD = "SELECT FROM announced WHERE topic = $1 AND topic_id = $2 AND layout = $3";
    private static final String TELL = """
            INSERT INTO announced (topic, topic_id, layout) VALUES ($1, $2, $3)
            ON CONFLICT (topic) DO UPDATE SET topic_id = $2, layout = $3
            """;

    private final Outbox outbox;
    private final int layout;
    private final List<Kind<T>> kinds;

    /**
     * All of one table, page by page.
     *
     * @param after takes the position of the last row, and a limit
     */
    public record Kind<T>(String after, Tuple start, Function<Row, Tuple> position, BiConsumer<T, Row> tell) {
        public static <T> Kind<T> byId(String after, BiConsumer<T, Row> tell) {
            return new Kind<>(after, Tuple.of(NIL), row -> Tuple.of(row.getUUID("id")), tell);
        }

        /** Of a table whose rows have names, in one column or more. */
        public static <T> Kind<T> byName(String after, List<String> columns, BiConsumer<T, Row> tell) {
            var start = Tuple.tuple();
            columns.forEach(column -> start.addString(""));
            return new Kind<>(after, start, row -> named(row, columns), tell);
        }

        private static Tuple named(Row row, List<String> columns) {
            var position = Tuple.tuple();
            columns.forEach(column -> position.addString(row.getString(column)));
            return position;
        }
    }

    /**
     * @param layout to be raised when the records of existing things say more than before
     * @param kinds in this order: nobody is told of something that refers to what they have not been told of
     */
    public Retelling(Outbox outbox, int layout, List<Kind<T>> kinds) {
        this.outbox = outbox;
        this.layout = layout;
        this.kinds = List.copyOf(kinds);
    }

    /** Has everything told if any of the topics, given with the broker's ids of them, has not been; then they have been. */
    public Future<Void> ifNeeded(UnitOfWork unit, Map<String, String> topicIds, Supplier<Future<Void>> tellAll) {
        return unit.query(LOCK, Tuple.tuple())
                .compose(ok -> isUntold(unit, topicIds))
                .compose(untold -> untold ? tellAll.get() : Future.succeededFuture())
                .map(ok -> {
                    topicIds.forEach((topic, id) -> unit.write(TELL, Tuple.of(topic, id, layout)));
                    return null;
                });
    }

    /** Page by page, each in a transaction of its own. */
    public Future<Void> everything(Function<UnitOfWork, T> teller) {
        LOG.atInfo().log("the state topics are new: tells everything again");
        var chain = Future.<Void>succeededFuture();
        for (var kind : kinds) {
            chain = chain.compose(ok -> pages(kind, kind.start, teller));
        }
        return chain;
    }

    private Future<Boolean> isUntold(UnitOfWork unit, Map<String, String> topicIds) {
        var chain = Future.succeededFuture(false);
        for (var topic : topicIds.entrySet()) {
            chain = chain.compose(untold -> unit.query(TOLD, Tuple.of(topic.getKey(), topic.getValue(), layout))
                    .map(rows -> untold || rows.size() == 0));
        }
        return chain;
    }

    private Future<Void> pages(Kind<T> kind, Tuple position, Function<UnitOfWork, T> teller) {
        var asked = Tuple.tuple();
        for (var i = 0; i < position.size(); i++) {
            asked.addValue(position.getValue(i));
        }
        var cause = new Cause(Ids.next().toString(), Context.root());
        return outbox.transaction(cause, unit -> unit.query(kind.after, asked.addInteger(PAGE))
                        .map(rows -> {
                            var told = teller.apply(unit);
                            var next = position;
                            for (var row : rows) {
                                kind.tell.accept(told, row);
                                next = kind.position.apply(row);
                            }
                            return rows.size() < PAGE ? Tuple.tuple() : next;
                        }))
                .compose(next -> next.size() == 0 ? Future.succeededFuture() : pages(kind, next, teller));
    }
}
