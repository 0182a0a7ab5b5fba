package dev.slipway.instances.runtime;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;

/** Looks now and then for commands that nobody has said a word about, and sends them again. */
public final class Resending {
    private static final Logger LOG = LoggerFactory.getLogger(Resending.class);
    private static final int BATCH = 100;

    private final Vertx vertx;
    private final Outbox outbox;
    private final CommandStore commands;
    private final Duration interval;
    private boolean busy;

    public Resending(Vertx vertx, Outbox outbox, CommandStore commands, Duration interval) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.commands = commands;
        this.interval = interval;
    }

    public void start() {
        vertx.setPeriodic(interval.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                sendDue().onComplete(done -> busy = false);
            }
        });
    }

    private Future<Void> sendDue() {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return outbox.transaction(cause, unit -> commands.sendDue(unit, BATCH))
                .onSuccess(sent -> {
                    if (sent > 0) {
                        LOG.atInfo().addKeyValue("commands", sent).log("sent again what no adapter has answered");
                    }
                })
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot send commands again; will try later"))
                .mapEmpty();
    }
}
