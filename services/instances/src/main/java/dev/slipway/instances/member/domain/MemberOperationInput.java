package dev.slipway.instances.member.domain;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/** The stored input of a member operation; {@code replacementId} is null unless a member is replaced. */
public record MemberOperationInput(
        @Nullable UUID memberId,
        @Nullable String component,
        @Nullable UUID replacementId,
        Map<String, String> labels) {
    public static final MemberOperationInput NONE = new MemberOperationInput(null, null, null, Map.of());
}
