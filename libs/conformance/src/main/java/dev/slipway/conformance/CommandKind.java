package dev.slipway.conformance;

import dev.slipway.contract.domain.TextEnum;

import java.util.Set;

/** The commands, with the reports allowed on each and those that end it. */
enum CommandKind implements TextEnum {
    DEPLOY,
    UPGRADE,
    ROLLBACK,
    MEMBER,
    OPERATE,
    CANCEL,
    DELETE;

    private static final Set<String> ALWAYS = Set.of("members", "usage");
    private static final Set<String> INTERMEDIATE = Set.of("accepted", "progress");
    private static final Set<String> INSTANCE_STATES = Set.of("running", "failed");

    String eventType() {
        return "runtime.command." + text();
    }

    boolean raisesGeneration() {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK, DELETE -> true;
            case MEMBER, OPERATE, CANCEL -> false;
        };
    }

    boolean isEndedBy(String report) {
        return switch (this) {
            case DEPLOY -> INSTANCE_STATES.contains(report);
            case UPGRADE, ROLLBACK, MEMBER, OPERATE -> report.equals("operation");
            case CANCEL -> report.equals("accepted");
            case DELETE -> report.equals("deleted") || report.equals("failed");
        };
    }

    /** Returns whether the report is allowed on an unfinished command. */
    boolean allows(String report) {
        return ALWAYS.contains(report)
                || INTERMEDIATE.contains(report)
                || isEndedBy(report)
                || (this == DEPLOY && report.equals("deploying"));
    }

    /** Returns whether the report is allowed on a finished command, because an instance can fail and recover later. */
    boolean allowsAfterEnd(String report) {
        return ALWAYS.contains(report)
                || switch (this) {
                    case DEPLOY, UPGRADE, ROLLBACK -> INSTANCE_STATES.contains(report);
                    case MEMBER, OPERATE, CANCEL, DELETE -> false;
                };
    }
}
