package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The state of a member, as reported to the platform.
 *
 * @param componentKey the adapter's own name for the member, such as a node or a pod
 * @param reason why the member is in this state; required if it failed
 * @param detail free-form JSON of up to 16 KiB that tenants can read; without host paths, process ids and secrets
 */
public record MemberState(
        UUID memberId,
        int generation,
        State state,
        @Nullable String componentKey,
        @Nullable String reason,
        ObjectNode detail) {

    public enum State implements TextEnum {
        JOINING,
        READY,
        DRAINING,
        REMOVED,
        FAILED
    }

    public static MemberState of(MemberRef memberRef, State state, String componentKey) {
        return new MemberState(memberRef.memberId(), memberRef.generation(), state, componentKey, null, Json.object());
    }

    public MemberState withReason(String reason) {
        return new MemberState(memberId, generation, state, componentKey, reason, detail);
    }

    public MemberState withDetail(ObjectNode detail) {
        return new MemberState(memberId, generation, state, componentKey, reason, detail);
    }
}
