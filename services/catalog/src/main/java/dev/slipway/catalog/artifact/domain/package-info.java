/** The lifecycle and trust of artifacts, as pure decisions. */
@NullMarked
package dev.slipway.catalog.artifact.domain;

import org.jspecify.annotations.NullMarked;
