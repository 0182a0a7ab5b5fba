package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;

/** The events of an operation. */
public enum OperationEvent implements TextEnum {
    ACCEPTED,
    RUNNING,
    PROGRESSED,
    SUCCEEDED,
    FAILED,
    CANCELED
}
