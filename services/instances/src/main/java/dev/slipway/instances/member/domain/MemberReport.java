package dev.slipway.instances.member.domain;

import dev.slipway.instances.member.domain.Member.ObservedState;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The state of a member in a report of its adapter; {@code detail} is JSON text, null if it is unchanged. */
public record MemberReport(
        UUID memberId,
        int generation,
        ObservedState state,
        @Nullable String componentKey,
        @Nullable String detail,
        @Nullable String reason) {}
