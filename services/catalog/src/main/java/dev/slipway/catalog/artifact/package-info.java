/** Artifacts: registration, verification, promotion, revocation, and credentials for registries. */
@NullMarked
package dev.slipway.catalog.artifact;

import org.jspecify.annotations.NullMarked;
