/** The metering service: usage facts of any product, and the running time of apps. */
@NullMarked
package dev.slipway.metering;

import org.jspecify.annotations.NullMarked;
