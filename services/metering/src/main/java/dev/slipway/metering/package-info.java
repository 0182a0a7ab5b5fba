/** The metering service: running time and reported usage of app instances. */
@NullMarked
package dev.slipway.metering;

import org.jspecify.annotations.NullMarked;
