package dev.slipway.operations.domain;

import dev.slipway.operations.domain.SubjectState.Status;
import dev.slipway.operations.domain.SubjectTransition.Changed;
import dev.slipway.operations.domain.SubjectTransition.Refused;
import dev.slipway.operations.domain.SubjectTransition.Unchanged;

import java.time.Instant;

/**
 * The state machine of subjects: requested → deploying → running → deleting → deleted; failed from every state but deleted. A report on an older
 * generation changes nothing.
 *
 * @param noun names the subject in messages
 * @param conflictCode the code of a refusal
 */
public record SubjectLifecycle(String noun, String conflictCode) {

    public SubjectTransition delete(SubjectState current, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, FAILED ->
                new Changed(current.withStatus(Status.DELETING, current.runtimeState(), current.failureReason(), now));
            case DELETING, DELETED -> new Unchanged();
        };
    }

    /** Deletes the record of a subject without its adapter: only if it has failed, or its deletion does not end. */
    public SubjectTransition forceDelete(SubjectState current, Instant now) {
        return switch (current.status()) {
            case FAILED, DELETING -> deleted(current, now);
            case DELETED -> new Unchanged();
            case REQUESTED, DEPLOYING, RUNNING ->
                refused("The " + noun + " is " + current.status().text()
                        + ". Delete it first; force the deletion only if that does not end.");
        };
    }

    /** Begins an upgrade or a rollback: the subject keeps running, and earlier commands become obsolete. */
    public SubjectTransition beginChange(SubjectState current) {
        return switch (current.status()) {
            case RUNNING -> new Changed(current.withNextGeneration());
            case REQUESTED, DEPLOYING, FAILED, DELETING, DELETED ->
                refused("The " + noun + " is " + current.status().text() + ". Only a running " + noun
                        + " can be upgraded or rolled back.");
        };
    }

    /** The deadline of the launch has passed. */
    public SubjectTransition expireLaunch(SubjectState current, String reason, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING -> failed(current, reason, now);
            case RUNNING, FAILED, DELETING, DELETED -> new Unchanged();
        };
    }

    public SubjectTransition reportDeploying(SubjectState current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return new Unchanged();
        }
        return switch (current.status()) {
            case REQUESTED -> new Changed(current.withStatus(Status.DEPLOYING, runtimeState, null, now));
            // A late or repeated report: the subject has advanced already.
            case DEPLOYING, RUNNING, FAILED, DELETING -> new Unchanged();
            case DELETED -> alreadyDeleted();
        };
    }

    public SubjectTransition reportRunning(SubjectState current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return new Unchanged();
        }
        return switch (current.status()) {
            // From failed as well: if an adapter recovers the app, the subject shows what runs.
            case REQUESTED, DEPLOYING, FAILED -> running(current, runtimeState, now);
            case RUNNING ->
                current.runtimeState().equals(runtimeState) ? new Unchanged() : running(current, runtimeState, now);
            case DELETING -> new Unchanged();
            case DELETED -> alreadyDeleted();
        };
    }

    /** The subject runs another version. */
    public SubjectTransition reportUpgraded(SubjectState current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return new Unchanged();
        }
        return switch (current.status()) {
            case RUNNING, FAILED -> running(current, runtimeState, now);
            case DELETING -> new Unchanged();
            case DELETED -> alreadyDeleted();
            case REQUESTED, DEPLOYING -> refused("No upgrade of this " + noun + " was requested.");
        };
    }

    public SubjectTransition reportFailed(SubjectState current, int generation, String reason, Instant now) {
        if (generation < current.generation()) {
            return new Unchanged();
        }
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, DELETING -> failed(current, reason, now);
            case FAILED -> new Unchanged();
            case DELETED -> alreadyDeleted();
        };
    }

    public SubjectTransition reportDeleted(SubjectState current, int generation, Instant now) {
        if (generation < current.generation()) {
            return new Unchanged();
        }
        return switch (current.status()) {
            case DELETING, FAILED -> deleted(current, now);
            case DELETED -> new Unchanged();
            case REQUESTED, DEPLOYING, RUNNING -> refused("No deletion of this " + noun + " was requested.");
        };
    }

    private static SubjectTransition running(SubjectState current, String runtimeState, Instant now) {
        return new Changed(current.withStatus(Status.RUNNING, runtimeState, null, now));
    }

    private static SubjectTransition failed(SubjectState current, String reason, Instant now) {
        return new Changed(current.withStatus(Status.FAILED, current.runtimeState(), reason, now));
    }

    private static SubjectTransition deleted(SubjectState current, Instant now) {
        return new Changed(current.withStatus(Status.DELETED, "{}", null, now));
    }

    private SubjectTransition refused(String message) {
        return new Refused(Refusal.of(conflictCode, message));
    }

    private SubjectTransition alreadyDeleted() {
        return refused("The " + noun + " is already deleted.");
    }
}
