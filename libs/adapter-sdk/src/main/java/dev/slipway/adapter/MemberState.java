package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;

/**
 * What became of a member.
 *
 * @param componentKey the adapter's own name for it, such as a node or a pod
 * @param reason why it is in this state; wanted where it failed
 * @param detail whatever the adapter wants to be seen, at most 16 KiB of JSON
 */
public record MemberState(
        UUID memberId,
        int generation,
        State state,
        @Nullable String componentKey,
        @Nullable String reason,
        ObjectNode detail) {

    public enum State {
        JOINING,
        READY,
        DRAINING,
        REMOVED,
        FAILED;

        /** As the protocol writes it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static MemberState of(Member member, State state, String componentKey) {
        return new MemberState(member.memberId(), member.generation(), state, componentKey, null, Json.object());
    }

    public MemberState because(String reason) {
        return new MemberState(memberId, generation, state, componentKey, reason, detail);
    }

    public MemberState with(ObjectNode detail) {
        return new MemberState(memberId, generation, state, componentKey, reason, detail);
    }
}
