package dev.slipway.adapter;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Command to change one member.
 *
 * @param replacement the new member; set for {@link Operation#REPLACE} only
 * @param labels the complete labels of the member, for {@link Operation#LABEL}
 */
public record MemberCommand(
        Task task,
        Operation operation,
        MemberRef member,
        @Nullable MemberRef replacement,
        Map<String, String> labels) {
    public MemberCommand {
        labels = Map.copyOf(labels);
    }

    public enum Operation implements TextEnum {
        ADD,
        DRAIN,
        REMOVE,
        REPLACE,
        CORDON,
        UNCORDON,
        LABEL
    }
}
