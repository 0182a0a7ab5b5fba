package dev.slipway.iam.revision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;

/** A revision of what decisions are taken from, and what is announced at it. It is raised if anything is. */
public final class Revision {
    private final UnitOfWork unit;
    private final long number;
    private final Runnable raise;
    private boolean anything;

    Revision(UnitOfWork unit, long number, Runnable raise) {
        this.unit = unit;
        this.number = number;
        this.raise = raise;
    }

    /** To tell what is there already once more, at the revision that it has now. */
    public static Revision again(UnitOfWork unit, long number) {
        var revision = new Revision(unit, number, () -> {});
        revision.anything = true;
        return revision;
    }

    /** The revision that this transaction leaves behind: the one before it, as long as nothing was announced. */
    public long number() {
        return anything ? number : number - 1;
    }

    /** What decisions are taken from. */
    public void authz(String key, String type, ObjectNode payload) {
        announce(Topics.AUTHZ_STATE, key, type, payload);
    }

    /** What other services keep of tenants. */
    public void state(String key, String type, ObjectNode payload) {
        announce(Topics.IAM_STATE, key, type, payload);
    }

    /** Says that this was all of the revision; a reader that has not seen it has not seen everything. */
    public void complete() {
        if (anything) {
            raise.run();
            authz("revision", "authz.revision", Json.object());
        }
    }

    private void announce(String topic, String key, String type, ObjectNode payload) {
        anything = true;
        unit.announce(topic, key, type, payload.put("revision", number));
    }
}
