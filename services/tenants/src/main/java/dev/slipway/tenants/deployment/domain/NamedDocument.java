package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

/**
 * A view, flow or permission set of a bundle. Its content is not interpreted here: two documents are equal if their digests are.
 *
 * @param object the object that the document refers to, if it names one
 */
public record NamedDocument(String name, @Nullable String object, String digest) {}
