package dev.slipway.policy;

import org.jspecify.annotations.Nullable;

import java.net.IDN;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The host and port of an artifact's address, parsed strictly: an address that programs could parse in different ways (user info, escapes,
 * backslashes, a trailing dot, unusual IPv4 notations, non-ASCII letters) is rejected.
 */
public record SourceHost(String name, int port) {
    static final int DEFAULT_PORT = 443;
    private static final int MAX_LENGTH = 253;
    private static final Set<String> SCHEMES = Set.of("https", "oci", "s3");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern OCTET = Pattern.compile("0|[1-9][0-9]{0,2}");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

    /** Parses the host of an address; returns null if it is missing or ambiguous. */
    public static @Nullable SourceHost of(String address) {
        return of(address, true);
    }

    static @Nullable SourceHost of(String text, boolean withPath) {
        var authority = withPath ? authority(text) : text;
        if (authority == null || authority.isEmpty()) {
            return null;
        }
        var colon = authority.indexOf(':');
        var name = colon < 0 ? authority : authority.substring(0, colon);
        var port = colon < 0 ? DEFAULT_PORT : port(authority.substring(colon + 1));
        // Reject non-ASCII letters before lower-casing: some become ASCII when lower-cased.
        if (port < 0 || name.chars().anyMatch(c -> c > 0x7e)) {
            return null;
        }
        var lower = name.toLowerCase(Locale.ROOT);
        return isName(lower) || isAddress(lower) ? new SourceHost(lower, port) : null;
    }

    /** A host name never ends in a numeric label. */
    boolean isAddress() {
        var last = name.substring(name.lastIndexOf('.') + 1);
        return last.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static @Nullable String authority(String address) {
        var rest = address;
        var scheme = address.indexOf("://");
        if (scheme >= 0) {
            if (!SCHEMES.contains(address.substring(0, scheme).toLowerCase(Locale.ROOT))) {
                return null;
            }
            rest = address.substring(scheme + 3);
        }
        if (rest.indexOf('\\') >= 0) {
            return null;
        }
        var end = rest.length();
        for (var mark : new char[] {'/', '?', '#'}) {
            var at = rest.indexOf(mark);
            end = at >= 0 ? Math.min(end, at) : end;
        }
        return rest.substring(0, end);
    }

    private static int port(String text) {
        var port = PORT.matcher(text).matches() ? Integer.parseInt(text) : -1;
        return port <= 0xffff ? port : -1;
    }

    private static boolean isName(String name) {
        if (name.length() > MAX_LENGTH) {
            return false;
        }
        var labels = name.split("\\.", -1);
        for (var label : labels) {
            if (!LABEL.matcher(label).matches() || !isCanonicalPunycode(label)) {
                return false;
            }
        }
        // As in RFC 2396: other parsers take a last label that starts with a digit for a number, or find no host.
        return Character.isLetter(labels[labels.length - 1].charAt(0));
    }

    /** Four decimal numbers without leading zeros, which every program parses alike. */
    private static boolean isAddress(String name) {
        var parts = name.split("\\.", -1);
        if (parts.length != 4) {
            return false;
        }
        for (var part : parts) {
            if (!OCTET.matcher(part).matches() || Integer.parseInt(part) > 255) {
                return false;
            }
        }
        return true;
    }

    /** An encoded label must be the canonical encoding of a non-ASCII label. */
    private static boolean isCanonicalPunycode(String label) {
        if (label.length() < 4 || label.charAt(2) != '-' || label.charAt(3) != '-') {
            return true;
        }
        if (!label.startsWith("xn--")) {
            return false;
        }
        try {
            var decoded = IDN.toUnicode(label);
            return !decoded.equals(label)
                    && decoded.chars().anyMatch(c -> c > 0x7f)
                    && IDN.toASCII(decoded, IDN.USE_STD3_ASCII_RULES).equals(label);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
