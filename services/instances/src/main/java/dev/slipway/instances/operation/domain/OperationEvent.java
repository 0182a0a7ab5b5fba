package dev.slipway.instances.operation.domain;

import java.util.Locale;

/** What happened to an operation; all there is to tell about it is in the operation. */
public enum OperationEvent {
    ACCEPTED,
    RUNNING,
    PROGRESSED,
    SUCCEEDED,
    FAILED,
    CANCELED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
