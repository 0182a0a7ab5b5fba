package dev.slipway.instances.member.domain;

import dev.slipway.contract.domain.TextEnum;

/** The operations on members. */
public enum MemberOperation implements TextEnum {
    ADD,
    DRAIN,
    REMOVE,
    REPLACE,
    CORDON,
    UNCORDON,
    LABEL
}
