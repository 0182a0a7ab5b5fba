package dev.slipway.policy;

import org.jspecify.annotations.Nullable;

/**
 * A host that artifacts may come from: a name, an IPv4 address, or {@code *.} and a name for exactly one label before it; with a port, or
 * for 443 alone. Two patterns that look different are different, so what is written is what is allowed.
 */
public record HostPattern(boolean wildcard, SourceHost host) {
    private static final String ANY_LABEL = "*.";

    /** What is wrong with a pattern; null when nothing is. */
    public static @Nullable String fault(String text) {
        var wildcard = text.startsWith(ANY_LABEL);
        var host = SourceHost.of(wildcard ? text.substring(ANY_LABEL.length()) : text, false);
        if (host == null) {
            return "is not a host pattern: write a host name in lower case and in its ASCII form, an IPv4 address, or \"*.\" and a"
                    + " name, each with a port if it is not 443";
        }
        return wildcard && (host.isAddress() || !host.name().contains("."))
                ? "is too wide: \"*.\" stands for one label before a name of at least two"
                : null;
    }

    /** The pattern, or null if it is none: what cannot be understood allows nothing. */
    public static @Nullable HostPattern of(String text) {
        if (fault(text) != null) {
            return null;
        }
        var wildcard = text.startsWith(ANY_LABEL);
        var host = SourceHost.of(wildcard ? text.substring(ANY_LABEL.length()) : text, false);
        return host == null ? null : new HostPattern(wildcard, host);
    }

    /** Whether an address such as {@code https://registry.example.com/apps} or {@code registry.example.com/apps} is one of these. */
    public boolean matches(String source) {
        var asked = SourceHost.of(source, true);
        return asked != null && covers(new HostPattern(false, asked));
    }

    /** Whether everything that the other allows is allowed by this one. */
    public boolean covers(HostPattern other) {
        if (host.port() != other.host.port()) {
            return false;
        }
        if (wildcard == other.wildcard) {
            return host.name().equals(other.host.name());
        }
        return wildcard && !other.host.isAddress() && host.name().equals(afterFirstLabel(other.host.name()));
    }

    /** Written in one way only. */
    public String text() {
        var port = host.port() == SourceHost.USUAL_PORT ? "" : ":" + host.port();
        return (wildcard ? ANY_LABEL : "") + host.name() + port;
    }

    private static String afterFirstLabel(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
