package dev.slipway.iam.credential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** A principal that is no person: it belongs to one place, has credentials and a list of actions, and is active, disabled or deleted. */
public interface Machine<M extends Machine<M>> {
    /** Who it is and where, as its credentials have it. */
    Owner owner();

    List<String> allowedActions();

    String state();

    @Nullable
    Instant disabledAt();

    @Nullable
    Instant deletedAt();

    M in(String nextState, @Nullable Instant disabled, @Nullable Instant deleted);

    ObjectNode json();

    /** What the audit trail keeps of it. */
    ObjectNode audited();
}
