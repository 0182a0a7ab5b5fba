/** Access to the sources of artifacts: OCI registries and object stores, reached through a client that rejects internal addresses. */
@NullMarked
package dev.slipway.catalog.artifact.source;

import org.jspecify.annotations.NullMarked;
