package dev.slipway.catalog.source;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where a source is and what of it is meant, read strictly: one way to write each.
 *
 * @param type oci, https or s3
 * @param port the one that is meant when none is written
 * @param path the repository of a registry, or an object's path without its first slash
 */
public record Location(String type, boolean plain, String host, int port, String path) {
    /** Names and IPv4 addresses; nothing that two programs could read in two ways. */
    private static final Pattern HOST =
            Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

    private static final Pattern REPOSITORY =
            Pattern.compile("[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)*");
    private static final Pattern OBJECT =
            Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:@%-]+(/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*");
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    /** Reads a source's address; throws an {@link IllegalArgumentException} that says what is wrong with it. */
    public static Location parse(String type, String uri) {
        var parsed = uri(uri);
        var oci = type.equals("oci");
        var scheme = parsed.getScheme() == null ? "" : parsed.getScheme();
        var plain = scheme.equals("http");
        require(
                oci ? scheme.equals("oci") : plain || scheme.equals("https"),
                "has not the scheme of a " + type + " source");
        require(parsed.getRawUserInfo() == null, "names a user");
        require(parsed.getRawQuery() == null && parsed.getRawFragment() == null, "has a query or a fragment");
        var host = parsed.getHost() == null ? "" : parsed.getHost().toLowerCase(Locale.ROOT);
        require(host.length() <= 253 && HOST.matcher(host).matches(), "names no host");
        var path = parsed.getRawPath() == null ? "" : parsed.getRawPath().replaceFirst("^/", "");
        require((oci ? REPOSITORY : OBJECT).matcher(path).matches(), oci ? "names no repository" : "names no object");
        require(!("/" + path + "/").matches(".*/(\\.|%2[eE]){1,2}/.*"), "has a path that leads back");
        var port = parsed.getPort() >= 0 ? parsed.getPort() : plain ? HTTP : HTTPS;
        return new Location(type, plain, host, port, path);
    }

    /** The host, with its port where that is not 443: as policy writes it. */
    public String authority() {
        return port == HTTPS ? host : host + ":" + port;
    }

    /** Host and path: the place of an artifact without its digest. */
    public String repository() {
        return authority() + "/" + path;
    }

    /** Something beside it: its signature, say. */
    Location beside(String suffix) {
        return new Location(type, plain, host, port, path + suffix);
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("is not a URI");
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
