/** A projection of app instances from their events. */
@NullMarked
package dev.slipway.catalog.instanceprojection;

import org.jspecify.annotations.NullMarked;
