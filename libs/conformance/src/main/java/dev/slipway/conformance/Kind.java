package dev.slipway.conformance;

import java.util.Locale;
import java.util.Set;

/** The commands, what may be reported on each, and what ends it. */
enum Kind {
    DEPLOY,
    UPGRADE,
    ROLLBACK,
    MEMBER,
    OPERATE,
    CANCEL,
    DELETE;

    private static final Set<String> ALWAYS = Set.of("members", "usage");
    private static final Set<String> ON_THE_WAY = Set.of("accepted", "progress");
    private static final Set<String> OF_THE_INSTANCE = Set.of("running", "failed");

    String eventType() {
        return "runtime.command." + plain();
    }

    String plain() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean raisesGeneration() {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK, DELETE -> true;
            case MEMBER, OPERATE, CANCEL -> false;
        };
    }

    boolean isEndedBy(String report) {
        return switch (this) {
            case DEPLOY -> OF_THE_INSTANCE.contains(report);
            case UPGRADE, ROLLBACK, MEMBER, OPERATE -> report.equals("operation");
            case CANCEL -> report.equals("accepted");
            case DELETE -> report.equals("deleted") || report.equals("failed");
        };
    }

    /** Whether the report has a place on a command that goes on. */
    boolean allows(String report) {
        return ALWAYS.contains(report)
                || ON_THE_WAY.contains(report)
                || isEndedBy(report)
                || (this == DEPLOY && report.equals("deploying"));
    }

    /** Whether the report has a place on a command that is over: an instance may fail and recover later. */
    boolean allowsAfterTheEnd(String report) {
        return ALWAYS.contains(report)
                || switch (this) {
                    case DEPLOY, UPGRADE, ROLLBACK -> OF_THE_INSTANCE.contains(report);
                    case MEMBER, OPERATE, CANCEL, DELETE -> false;
                };
    }
}
