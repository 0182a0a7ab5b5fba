package dev.slipway.catalog.registry;

import dev.slipway.authz.Principal;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Who made a version of an entry; readable when they are gone. */
record Author(String type, @Nullable UUID id, String name) {
    /** The contract that this program was built with. */
    static final Author SEED = new Author("system", null, "seed");

    static final Author IAM = new Author("system", null, "iam");

    static Author of(Principal principal) {
        return new Author(principal.type().text(), principal.id(), principal.displayName());
    }
}
