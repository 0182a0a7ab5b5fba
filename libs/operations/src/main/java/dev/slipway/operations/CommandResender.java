package dev.slipway.operations;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;

/** Resends periodically the commands that no adapter has reported on. */
public final class CommandResender {
    private static final Logger LOG = LoggerFactory.getLogger(CommandResender.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int BATCH = 100;

    private final Vertx vertx;
    private final Outbox outbox;
    private final CommandStore commands;
    private boolean busy;

    public CommandResender(Vertx vertx, Outbox outbox, CommandStore commands) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.commands = commands;
    }

    public void start() {
        vertx.setPeriodic(INTERVAL.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                resendDue().onComplete(done -> busy = false);
            }
        });
    }

    private Future<Void> resendDue() {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> commands.resendDue(unit, BATCH))
                .onSuccess(resent -> {
                    if (resent > 0) {
                        LOG.atInfo().addKeyValue("commands", resent).log("commands resent");
                    }
                })
                .onFailure(
                        e -> LOG.atWarn().setCause(e).log("resending commands failed; retrying at the next interval"))
                .mapEmpty();
    }
}
