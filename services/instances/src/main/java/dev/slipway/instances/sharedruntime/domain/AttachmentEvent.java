package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.contract.domain.TextEnum;

/** The events of an attachment. */
public enum AttachmentEvent implements TextEnum {
    REQUESTED,
    ATTACHED,
    UPDATED,
    FAILED,
    DETACHING,
    DETACHED
}
