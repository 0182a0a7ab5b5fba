package dev.slipway.instances.member.domain;

import java.util.Locale;

/** What can be done with members. */
public enum MemberOperation {
    ADD,
    DRAIN,
    REMOVE,
    REPLACE,
    CORDON,
    UNCORDON,
    LABEL;

    public static MemberOperation of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
