/** Registry kinds and the lifecycle of their entries. */
@NullMarked
package dev.slipway.catalog.registry.domain;

import org.jspecify.annotations.NullMarked;
