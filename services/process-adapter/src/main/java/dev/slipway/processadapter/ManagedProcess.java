package dev.slipway.processadapter;

import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The in-memory state of one process. Used on the event loop only. */
final class ManagedProcess {
    private final UUID instance;
    private final ProcessDir directory;
    private ProcessSpec spec;
    private Attempt attempt = new Attempt();
    private int relaunches;
    private @Nullable String failure;

    /**
     * One attempt to run the process. Terminating or relaunching the process ends the current attempt, so that late callbacks can detect
     * that they are stale.
     */
    static final class Attempt {
        private final Promise<Void> ended = Promise.promise();
        private @Nullable ProbeResult probeResult;

        Future<Void> ended() {
            return ended.future();
        }

        boolean isEnded() {
            return ended.future().isComplete();
        }

        /** From here on an exit is unexpected. */
        void markHealthy(ProbeResult found) {
            probeResult = found;
        }

        boolean isHealthy() {
            return probeResult != null && !isEnded();
        }
    }

    ManagedProcess(InstanceDir instance, ProcessSpec processSpec) {
        this.instance = instance.instanceId();
        this.directory = instance.process(processSpec);
        this.spec = processSpec;
    }

    UUID instance() {
        return instance;
    }

    ProcessDir directory() {
        return directory;
    }

    ProcessSpec spec() {
        return spec;
    }

    void spec(ProcessSpec changed) {
        spec = changed;
    }

    Attempt attempt() {
        return attempt;
    }

    Attempt nextAttempt() {
        attempt.ended.complete();
        attempt = new Attempt();
        failure = null;
        return attempt;
    }

    /** Ends this attempt, unless another one has started. */
    void endAttempt(Attempt ended) {
        if (attempt == ended) {
            var ignored = nextAttempt();
        }
    }

    int relaunches() {
        return relaunches;
    }

    void setRelaunches(int count) {
        relaunches = count;
    }

    /** Marks the process as failed, which is not relaunched. */
    void markFailed(String reason) {
        failure = reason;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Returns null while the process is not healthy. */
    @Nullable
    String url() {
        var probeResult = attempt.isEnded() ? null : attempt.probeResult;
        return probeResult == null ? null : "http://" + HealthProbe.HOST + ":" + probeResult.port();
    }

    /** Returns the member state to report; null if the process is not a member. */
    @Nullable
    MemberState memberState(State state, ProcessLimits limits) {
        var member = spec.memberId();
        if (member == null) {
            return null;
        }
        var detail = Json.toObject(MemberDetail.of(url(), limits));
        return new MemberState(member, spec.memberGeneration(), state, spec.key(), failure, detail);
    }
}
