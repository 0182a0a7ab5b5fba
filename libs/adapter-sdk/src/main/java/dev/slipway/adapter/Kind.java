package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** The commands there are. */
enum Kind {
    DEPLOY,
    UPGRADE,
    ROLLBACK,
    MEMBER,
    OPERATE,
    CANCEL,
    DELETE;

    private static final String PREFIX = "runtime.command.";

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String type() {
        return PREFIX + word();
    }

    /** Null for what is no command, or one that is newer than this SDK. */
    static @Nullable Kind of(String eventType) {
        for (var kind : values()) {
            if (kind.type().equals(eventType)) {
                return kind;
            }
        }
        return null;
    }

    /** Says what is to run: later reports are about the last of these. */
    boolean launches() {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK -> true;
            case MEMBER, OPERATE, CANCEL, DELETE -> false;
        };
    }

    /** Whether its end is that of an operation; else it is a state of the instance. */
    boolean endsAsOperation() {
        return switch (this) {
            case UPGRADE, ROLLBACK, MEMBER, OPERATE -> true;
            case DEPLOY, CANCEL, DELETE -> false;
        };
    }

    boolean canEndWith(Outcome outcome) {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK ->
                outcome instanceof Outcome.Running || outcome instanceof Outcome.Failed || isCanceled(outcome);
            case MEMBER, OPERATE ->
                outcome instanceof Outcome.Done || outcome instanceof Outcome.Failed || isCanceled(outcome);
            case DELETE -> outcome instanceof Outcome.Deleted || outcome instanceof Outcome.Failed;
            case CANCEL -> false;
        };
    }

    private static boolean isCanceled(Outcome outcome) {
        return outcome instanceof Outcome.Canceled;
    }
}
