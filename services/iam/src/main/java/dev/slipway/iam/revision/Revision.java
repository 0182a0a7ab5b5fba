package dev.slipway.iam.revision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;

/** A raised revision of what decisions are taken from, and what is announced at it. */
public final class Revision {
    private final UnitOfWork unit;
    private final long number;

    Revision(UnitOfWork unit, long number) {
        this.unit = unit;
        this.number = number;
    }

    /** What decisions are taken from. */
    public void authz(String key, String type, ObjectNode payload) {
        unit.announce(Topics.AUTHZ_STATE, key, type, payload.put("revision", number));
    }

    /** What other services keep of tenants. */
    public void state(String key, String type, ObjectNode payload) {
        unit.announce(Topics.IAM_STATE, key, type, payload.put("revision", number));
    }

    /** Says that this was all of the revision; a reader that has not seen it has not seen everything. */
    void complete() {
        authz("revision", "authz.revision", Json.object());
    }
}
