package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;

/**
 * Do something with one member.
 *
 * @param replacement who takes its place; there for {@link Operation#REPLACE} alone
 * @param labels all that the member is to have, for {@link Operation#LABEL}
 */
public record MemberCommand(
        Task task,
        Operation operation,
        Member member,
        @Nullable Member replacement,
        Map<String, String> labels) {
    public MemberCommand {
        labels = Map.copyOf(labels);
    }

    public enum Operation {
        ADD,
        DRAIN,
        REMOVE,
        REPLACE,
        CORDON,
        UNCORDON,
        LABEL;

        /** As the protocol writes it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Operation of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
