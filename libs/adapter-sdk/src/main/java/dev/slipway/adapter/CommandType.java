package dev.slipway.adapter;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

/** The command types of the protocol. */
enum CommandType implements TextEnum {
    DEPLOY,
    UPGRADE,
    ROLLBACK,
    MEMBER,
    OPERATE,
    CANCEL,
    DELETE;

    private static final String PREFIX = "runtime.command.";

    String eventType() {
        return PREFIX + text();
    }

    /** Returns null if the event is not a command or is newer than this SDK. */
    static @Nullable CommandType fromEventType(String eventType) {
        for (var commandType : values()) {
            if (commandType.eventType().equals(eventType)) {
                return commandType;
            }
        }
        return null;
    }

    /** Returns whether the command starts a version. Later state reports refer to the latest such command. */
    boolean isLaunch() {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK -> true;
            case MEMBER, OPERATE, CANCEL, DELETE -> false;
        };
    }

    /** Returns whether the terminal report is {@code runtime.report.operation} rather than an instance state. */
    boolean endsWithOperationReport() {
        return switch (this) {
            case UPGRADE, ROLLBACK, MEMBER, OPERATE -> true;
            case DEPLOY, CANCEL, DELETE -> false;
        };
    }

    boolean allowsOutcome(Outcome outcome) {
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
