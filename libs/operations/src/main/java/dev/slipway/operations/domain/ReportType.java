package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The types of reports that runtime adapters send about a subject. */
public enum ReportType implements TextEnum {
    ACCEPTED,
    DEPLOYING,
    RUNNING,
    FAILED,
    DELETED,
    PROGRESS,
    OPERATION,
    MEMBERS,
    USAGE;

    public static final String PREFIX = "runtime.report.";

    /** Returns the type of an event; null if it is not a report about a subject. */
    public static @Nullable ReportType of(String eventType) {
        return Arrays.stream(values())
                .filter(type -> eventType.equals(PREFIX + type.text()))
                .findFirst()
                .orElse(null);
    }
}
