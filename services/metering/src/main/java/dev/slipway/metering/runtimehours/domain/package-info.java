/** Pure rules of running time. */
@NullMarked
package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.NullMarked;
