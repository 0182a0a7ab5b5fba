package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

/** A field whose value in the instance's row differs from the one that its events yield; both are JSON texts. */
public record Difference(
        String field, @Nullable String row, @Nullable String folded) {}
