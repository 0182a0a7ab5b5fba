package dev.slipway.processadapter;

import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** One process as the event loop sees it. */
final class Proc {
    private final UUID instance;
    private final ProcessDir directory;
    private Part part;
    private Turn turn = new Turn();
    private int relaunches;
    private @Nullable String failure;

    /** Something being done with the process. What ends it or begins anew ends the turn of whatever was going on. */
    static final class Turn {
        private final Promise<Void> over = Promise.promise();
        private @Nullable Health health;

        Future<Void> over() {
            return over.future();
        }

        boolean isOver() {
            return over.future().isComplete();
        }

        /** Healthy: from here on its end would be an accident. */
        void up(Health found) {
            health = found;
        }

        boolean isUp() {
            return health != null && !isOver();
        }
    }

    Proc(InstanceDir instance, Part part) {
        this.instance = instance.instance();
        this.directory = instance.process(part);
        this.part = part;
    }

    UUID instance() {
        return instance;
    }

    ProcessDir directory() {
        return directory;
    }

    Part part() {
        return part;
    }

    void part(Part changed) {
        part = changed;
    }

    Turn turn() {
        return turn;
    }

    Turn nextTurn() {
        turn.over.complete();
        turn = new Turn();
        failure = null;
        return turn;
    }

    /** Ends this turn, unless another has begun. */
    void end(Turn ended) {
        if (turn == ended) {
            var ignored = nextTurn();
        }
    }

    int relaunches() {
        return relaunches;
    }

    void countRelaunches(int count) {
        relaunches = count;
    }

    /** It does not run, and is not launched again. */
    void fail(String reason) {
        failure = reason;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Null while it is not healthy. */
    @Nullable
    String url() {
        var health = turn.isOver() ? null : turn.health;
        return health == null ? null : "http://" + Probe.HOST + ":" + health.port();
    }

    /** What the platform is told of it, if it is a member. */
    @Nullable
    MemberState state(State state, Limits limits) {
        var member = part.memberId();
        if (member == null) {
            return null;
        }
        var detail = Json.object().put("log", directory.log().toString());
        var url = url();
        if (url != null) {
            detail.put("url", url);
        }
        var health = turn.health;
        if (health != null) {
            detail.put("pid", health.pid());
        }
        detail.set("limits", limits.toJson());
        return new MemberState(member, part.memberGeneration(), state, part.key(), failure, detail);
    }
}
