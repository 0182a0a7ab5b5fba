/** Validates app manifests against the schema, the registries and the trust in their artifacts. */
@NullMarked
package dev.slipway.catalog.app.manifest;

import org.jspecify.annotations.NullMarked;
