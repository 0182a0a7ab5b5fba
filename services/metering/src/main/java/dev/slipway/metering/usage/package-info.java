/** The running time and the reported usage of app instances. */
@NullMarked
package dev.slipway.metering.usage;

import org.jspecify.annotations.NullMarked;
