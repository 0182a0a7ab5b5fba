package dev.slipway.service;

import dev.slipway.contract.domain.TextEnum;

/** The results of audited actions. */
public enum AuditResult implements TextEnum {
    SUCCESS,
    /** The actor was not allowed to do it. */
    DENIED,
    FAILURE
}
