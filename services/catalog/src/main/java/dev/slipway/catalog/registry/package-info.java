/** Registries of the data that products share, with every version of every entry. */
@NullMarked
package dev.slipway.catalog.registry;

import org.jspecify.annotations.NullMarked;
