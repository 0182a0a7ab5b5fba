package dev.slipway.policy;

import org.jspecify.annotations.Nullable;

/**
 * A pattern of hosts that artifacts may come from: a host name, an IPv4 address, or {@code *.} and a name for exactly one additional label;
 * with a port, or for port 443 only. Every pattern has one spelling.
 */
public record HostPattern(boolean wildcard, SourceHost host) {
    private static final String ANY_LABEL = "*.";

    /** Returns why a text is not a valid pattern, or null if it is. */
    public static @Nullable String validate(String text) {
        var wildcard = text.startsWith(ANY_LABEL);
        var host = SourceHost.of(wildcard ? text.substring(ANY_LABEL.length()) : text, false);
        if (host == null) {
            return "is not a host pattern: use a lower-case ASCII host name, an IPv4 address, or \"*.\" and a name, with a port"
                    + " unless it is 443";
        }
        return wildcard && (host.isAddress() || !host.name().contains("."))
                ? "is too wide: \"*.\" must be followed by a name with at least two labels"
                : null;
    }

    /** Parses a pattern; returns null if it is not valid. */
    public static @Nullable HostPattern parse(String text) {
        if (validate(text) != null) {
            return null;
        }
        var wildcard = text.startsWith(ANY_LABEL);
        var host = SourceHost.of(wildcard ? text.substring(ANY_LABEL.length()) : text, false);
        return host == null ? null : new HostPattern(wildcard, host);
    }

    /** Returns whether the pattern matches an address such as {@code https://registry.example.com/apps}, with or without scheme. */
    public boolean matches(String source) {
        var address = SourceHost.of(source, true);
        return address != null && covers(new HostPattern(false, address));
    }

    /** Returns whether this pattern matches everything that the other matches. */
    public boolean covers(HostPattern other) {
        return equals(other) || (wildcard && equals(other.wildcardParent()));
    }

    /** Returns the only other pattern that covers this one, or this one if there is none. */
    HostPattern wildcardParent() {
        var name = host.name();
        var dot = name.indexOf('.');
        return wildcard || host.isAddress() || dot < 0
                ? this
                : new HostPattern(true, new SourceHost(name.substring(dot + 1), host.port()));
    }

    /** Returns the canonical spelling. */
    public String text() {
        var port = host.port() == SourceHost.DEFAULT_PORT ? "" : ":" + host.port();
        return (wildcard ? ANY_LABEL : "") + host.name() + port;
    }
}
