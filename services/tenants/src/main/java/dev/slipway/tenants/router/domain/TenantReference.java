package dev.slipway.tenants.router.domain;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The tenant that a request names: by its id, by a key, or by neither, which means the only tenant of the caller.
 *
 * @param id null if the request does not name an id
 * @param key the display name; null if the request does not name one
 */
public record TenantReference(@Nullable UUID id, @Nullable String key) {
    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Pattern PATH = Pattern.compile("/tenants/([^/?#]+)");

    /**
     * Returns the reference; empty if the value does not have the form that the strategy requires.
     *
     * @param value the header, host name, path or key; not used by the strategy token
     */
    public static Optional<TenantReference> of(ResolutionStrategy strategy, @Nullable String value) {
        var text = value == null ? "" : value;
        return switch (strategy) {
            case TOKEN -> Optional.of(new TenantReference(null, null));
            case HEADER -> byId(text);
            case SUBDOMAIN -> text.indexOf('.') < 0 ? Optional.empty() : byId(text.substring(0, text.indexOf('.')));
            case PATH -> {
                var found = PATH.matcher(text);
                yield found.find() ? byId(found.group(1)) : Optional.empty();
            }
            case LOOKUP -> text.isEmpty() ? Optional.empty() : Optional.of(new TenantReference(null, text));
        };
    }

    private static Optional<TenantReference> byId(String text) {
        return UUID_TEXT.matcher(text).matches()
                ? Optional.of(new TenantReference(UUID.fromString(text), null))
                : Optional.empty();
    }
}
