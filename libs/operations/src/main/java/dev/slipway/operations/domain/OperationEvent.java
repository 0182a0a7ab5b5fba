package dev.slipway.operations.domain;

/** The events of an operation. */
public enum OperationEvent implements TextEnum {
    ACCEPTED,
    RUNNING,
    PROGRESSED,
    SUCCEEDED,
    FAILED,
    CANCELED
}
