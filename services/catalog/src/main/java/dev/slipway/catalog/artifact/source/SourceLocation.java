package dev.slipway.catalog.artifact.source;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The location of an artifact, parsed strictly so that every location has one spelling.
 *
 * @param type oci, https or s3
 * @param port the default port of the scheme if the address has none
 * @param path the repository in a registry, or the path of an object without its leading slash
 */
public record SourceLocation(String type, boolean plain, String host, int port, String path) {
    /** Names and IPv4 addresses; nothing that programs could parse differently. */
    private static final Pattern HOST =
            Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

    private static final Pattern REPOSITORY =
            Pattern.compile("[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)*");
    private static final Pattern OBJECT =
            Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:@%-]+(/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*");
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    /** Parses an address. Throws {@link IllegalArgumentException} with the reason if it is not valid. */
    public static SourceLocation parse(String type, String uri) {
        var parsed = parseUri(uri);
        var oci = type.equals("oci");
        var scheme = parsed.getScheme() == null ? "" : parsed.getScheme();
        var plain = scheme.equals("http");
        require(
                oci ? scheme.equals("oci") : plain || scheme.equals("https"),
                "does not have the scheme of a " + type + " source");
        require(parsed.getRawUserInfo() == null, "contains user info");
        require(parsed.getRawQuery() == null && parsed.getRawFragment() == null, "has a query or a fragment");
        var host = parsed.getHost() == null ? "" : parsed.getHost().toLowerCase(Locale.ROOT);
        require(host.length() <= 253 && HOST.matcher(host).matches(), "has no valid host");
        var path = parsed.getRawPath() == null ? "" : parsed.getRawPath().replaceFirst("^/", "");
        require(
                (oci ? REPOSITORY : OBJECT).matcher(path).matches(),
                oci ? "has no valid repository" : "has no valid path");
        require(!("/" + path + "/").matches(".*/(\\.|%2[eE]){1,2}/.*"), "has a path with . or .. segments");
        var port = parsed.getPort() >= 0 ? parsed.getPort() : plain ? HTTP : HTTPS;
        return new SourceLocation(type, plain, host, port, path);
    }

    /** Returns the host, with its port unless it is 443, as in policy. */
    public String authority() {
        return port == HTTPS ? host : host + ":" + port;
    }

    /** Returns host and path. */
    public String repository() {
        return authority() + "/" + path;
    }

    /** Returns the location of a related file, such as a signature. */
    SourceLocation withSuffix(String suffix) {
        return new SourceLocation(type, plain, host, port, path + suffix);
    }

    private static URI parseUri(String text) {
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
