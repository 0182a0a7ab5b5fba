package dev.slipway.instances.history.domain;

import org.jspecify.annotations.Nullable;

/** A field that an instance's row and its events do not agree on; both are JSON texts. */
public record Difference(
        String field, @Nullable String row, @Nullable String folded) {}
