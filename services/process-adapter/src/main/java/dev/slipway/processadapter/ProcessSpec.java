package dev.slipway.processadapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.adapter.MemberRef;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The desired state of one process: a member, or the only process of an instance without components.
 *
 * @param key the name of the process directory, also reported as the member's {@code component_key}
 * @param memberId null for an instance without members
 * @param drained whether the process runs without an endpoint
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ProcessSpec(String key, String component, @Nullable UUID memberId, int memberGeneration, boolean drained) {
    private static final String SINGLE = "main";

    static ProcessSpec single(int generation) {
        return new ProcessSpec(SINGLE + "." + generation, SINGLE, null, 1, false);
    }

    /** The key contains the instance's generation, because both versions of a member run during an upgrade. */
    static ProcessSpec forMember(MemberRef memberRef, int generation) {
        // It becomes a directory name.
        if (!memberRef.component().matches("[a-z][a-z0-9_-]{0,62}")) {
            throw new IllegalArgumentException("\"" + memberRef.component() + "\" is not a valid component key");
        }
        var key = memberRef.component() + "." + memberRef.memberId() + "." + generation;
        return new ProcessSpec(key, memberRef.component(), memberRef.memberId(), memberRef.generation(), false);
    }

    ProcessSpec withDrained() {
        return new ProcessSpec(key, component, memberId, memberGeneration, true);
    }

    /** Returns a copy with the member's generation of the command, which reports have to repeat. */
    ProcessSpec withGenerationOf(MemberRef memberRef) {
        return new ProcessSpec(key, component, memberId, memberRef.generation(), drained);
    }

    boolean isMember(MemberRef memberRef) {
        return memberRef.memberId().equals(memberId);
    }
}
