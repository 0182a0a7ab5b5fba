package dev.slipway.messaging;

import dev.slipway.contract.Ids;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
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
 * Republishes the whole state of a service from its database to its compacted topics if a topic is new: the broker lost it, the platform
 * moved to another broker, or this version of the service publishes more fields. Compaction keeps the last record of every key, so a topic
 * has to be filled only once. The table {@code announced} records which topics are complete.
 *
 * @param <T> publishes the records of one transaction
 */
public final class StateRepublisher<T> {
    private static final Logger LOG = LoggerFactory.getLogger(StateRepublisher.class);
    private static final int PAGE = 500;
    private static final UUID FIRST_ID = new UUID(0, 0);
    /** If two processes start at once, the second one waits and finds the work done. */
    private static final String LOCK = "LOCK TABLE announced IN SHARE ROW EXCLUSIVE MODE";

    private static final String SELECT_PUBLISHED =
            "SELECT FROM announced WHERE topic = $1 AND topic_id = $2 AND layout = $3";
    private static final String UPSERT_PUBLISHED = """
            INSERT INTO announced (topic, topic_id, layout) VALUES ($1, $2, $3)
            ON CONFLICT (topic) DO UPDATE SET topic_id = $2, layout = $3
            """;

    private final Outbox outbox;
    private final int layout;
    private final List<TableScan<T>> tables;

    /**
     * Reads a table page by page.
     *
     * @param pageQuery takes the position of the last row and a limit
     */
    public record TableScan<T>(
            String pageQuery, Tuple start, Function<Row, Tuple> position, BiConsumer<T, Row> publishRow) {
        public static <T> TableScan<T> byId(String pageQuery, BiConsumer<T, Row> publishRow) {
            return new TableScan<>(pageQuery, Tuple.of(FIRST_ID), row -> Tuple.of(row.getUUID("id")), publishRow);
        }

        /** Creates a scan of a table whose key consists of text columns. */
        public static <T> TableScan<T> byName(String pageQuery, List<String> columns, BiConsumer<T, Row> publishRow) {
            var start = Tuple.tuple();
            columns.forEach(column -> start.addString(""));
            return new TableScan<>(pageQuery, start, row -> namePosition(row, columns), publishRow);
        }

        private static Tuple namePosition(Row row, List<String> columns) {
            var position = Tuple.tuple();
            columns.forEach(column -> position.addString(row.getString(column)));
            return position;
        }
    }

    /**
     * @param layout version of the record format; incremented when records get additional fields
     * @param tables in publication order: a record must follow the records that it refers to
     */
    public StateRepublisher(Outbox outbox, int layout, List<TableScan<T>> tables) {
        this.outbox = outbox;
        this.layout = layout;
        this.tables = List.copyOf(tables);
    }

    /** Republishes the tables to a topic of the service if it is not complete. */
    public static Future<Void> republishIfNeeded(
            Vertx vertx,
            KafkaSettings kafka,
            Outbox outbox,
            String topic,
            int layout,
            List<TableScan<UnitOfWork>> tables) {
        var stateRepublisher = new StateRepublisher<>(outbox, layout, tables);
        var changeContext = new ChangeContext(Ids.next().toString(), Context.root());
        return Topics.findId(vertx, kafka, topic)
                .compose(id -> outbox.transaction(
                        changeContext,
                        unit -> stateRepublisher.runIfNeeded(
                                unit, Map.of(topic, id), () -> stateRepublisher.republishAll(page -> page))));
    }

    /** Runs the publication if any of the topics (with their broker ids) is not complete, and marks all of them as complete. */
    public Future<Void> runIfNeeded(UnitOfWork unit, Map<String, String> topicIds, Supplier<Future<Void>> publishAll) {
        return unit.query(LOCK, Tuple.tuple())
                .compose(ok -> anyUnpublished(unit, topicIds))
                .compose(unpublished -> unpublished ? publishAll.get() : Future.succeededFuture())
                .map(ok -> {
                    topicIds.forEach((topic, id) -> unit.write(UPSERT_PUBLISHED, Tuple.of(topic, id, layout)));
                    return null;
                });
    }

    /** Republishes all tables, one transaction per page. */
    public Future<Void> republishAll(Function<UnitOfWork, T> publisher) {
        LOG.atInfo().log("state topics are new; republishing all state");
        var chain = Future.<Void>succeededFuture();
        for (var table : tables) {
            chain = chain.compose(ok -> republishTable(table, table.start, publisher));
        }
        return chain;
    }

    private Future<Boolean> anyUnpublished(UnitOfWork unit, Map<String, String> topicIds) {
        var chain = Future.succeededFuture(false);
        for (var topic : topicIds.entrySet()) {
            chain = chain.compose(
                    unpublished -> unit.query(SELECT_PUBLISHED, Tuple.of(topic.getKey(), topic.getValue(), layout))
                            .map(rows -> unpublished || rows.size() == 0));
        }
        return chain;
    }

    private Future<Void> republishTable(TableScan<T> table, Tuple position, Function<UnitOfWork, T> publisher) {
        var parameters = Tuple.tuple();
        for (var i = 0; i < position.size(); i++) {
            parameters.addValue(position.getValue(i));
        }
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> unit.query(table.pageQuery, parameters.addInteger(PAGE))
                        .map(rows -> {
                            var target = publisher.apply(unit);
                            var next = position;
                            for (var row : rows) {
                                table.publishRow.accept(target, row);
                                next = table.position.apply(row);
                            }
                            return rows.size() < PAGE ? Tuple.tuple() : next;
                        }))
                .compose(next -> next.size() == 0 ? Future.succeededFuture() : republishTable(table, next, publisher));
    }
}
