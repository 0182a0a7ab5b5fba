package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Member;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * One process of an instance: a member, or all there is of an instance without components.
 *
 * @param key its directory, and what the platform sees as the member's {@code component_key}
 * @param memberId null where there are no members
 * @param drained it runs, but no endpoint leads to it
 */
record Part(String key, String component, @Nullable UUID memberId, int memberGeneration, boolean drained) {
    private static final String ALONE = "main";

    static Part alone(int generation) {
        return new Part(ALONE + "." + generation, ALONE, null, 1, false);
    }

    /** The instance's generation is part of the key: an upgrade has the same member twice for a while. */
    static Part of(Member member, int generation) {
        // It becomes the name of a directory.
        if (!member.component().matches("[a-z][a-z0-9_-]{0,62}")) {
            throw new IllegalArgumentException("\"" + member.component() + "\" is not the key of a component");
        }
        var key = member.component() + "." + member.memberId() + "." + generation;
        return new Part(key, member.component(), member.memberId(), member.generation(), false);
    }

    Part asDrained() {
        return new Part(key, component, memberId, memberGeneration, true);
    }

    /** As the platform speaks of it now: what is reported of the member has to be of the generation that it was asked for in. */
    Part as(Member member) {
        return new Part(key, component, memberId, member.generation(), drained);
    }

    boolean is(Member member) {
        return member.memberId().equals(memberId);
    }

    ObjectNode toJson() {
        var json = Json.object().put("key", key).put("component", component);
        if (memberId != null) {
            json.put("member_id", memberId.toString());
        }
        return json.put("member_generation", memberGeneration).put("drained", drained);
    }

    static Part fromJson(JsonNode json) {
        var member = json.path("member_id");
        return new Part(
                json.path("key").asText(),
                json.path("component").asText(),
                member.isMissingNode() ? null : UUID.fromString(member.asText()),
                json.path("member_generation").asInt(),
                json.path("drained").asBoolean());
    }
}
