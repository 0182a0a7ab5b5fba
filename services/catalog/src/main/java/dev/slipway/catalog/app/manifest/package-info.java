/** Validation of app manifests. */
@NullMarked
package dev.slipway.catalog.app.manifest;

import org.jspecify.annotations.NullMarked;
