package dev.slipway.catalog.registry;

import dev.slipway.authz.Principal;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The author of a version of an entry, copied so that it stays readable after the principal is deleted. */
record RegistryAuthor(String actorType, @Nullable UUID principalId, String displayName) {
    static final RegistryAuthor SEED = new RegistryAuthor("system", null, "seed");

    static final RegistryAuthor IAM = new RegistryAuthor("system", null, "iam");

    static RegistryAuthor of(Principal principal) {
        return new RegistryAuthor(principal.type().text(), principal.id(), principal.displayName());
    }
}
