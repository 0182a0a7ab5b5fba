package dev.slipway.metering;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.StateRepublisher;
import dev.slipway.messaging.StateRepublisher.TableScan;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.PriceStore;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.Map;

/** Republishes prices, accounts and budgets if their topic has lost them. */
final class BillingSnapshots {
    /** Increment it when snapshots get additional fields. */
    private static final int LAYOUT = 1;

    private static final List<TableScan<UnitOfWork>> KINDS = List.of(
            TableScan.byId(PriceStore.AFTER_ID, PriceStore::republish),
            TableScan.byId(AccountStore.ACCOUNTS_AFTER_ID, AccountStore::republishAccount),
            TableScan.byId(AccountStore.BUDGETS_AFTER_ID, AccountStore::republishBudget));

    private BillingSnapshots() {}

    static Future<Void> republishIfNeeded(Vertx vertx, KafkaSettings kafka, Outbox outbox) {
        var republisher = new StateRepublisher<>(outbox, LAYOUT, KINDS);
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return Topics.findId(vertx, kafka, Topics.BILLING_STATE)
                .compose(id -> outbox.transaction(
                        context,
                        unit -> republisher.runIfNeeded(
                                unit, Map.of(Topics.BILLING_STATE, id), () -> republisher.republishAll(page -> page))));
    }
}
