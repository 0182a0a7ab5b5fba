/** Tests that need a Docker engine. */
@NullMarked
package dev.slipway.standalone.container;

import org.jspecify.annotations.NullMarked;
