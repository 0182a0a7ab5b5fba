/** Digests of artifacts. */
@NullMarked
package dev.slipway.catalog.artifact.source.domain;

import org.jspecify.annotations.NullMarked;
