/** Pure rules of running time. */
@NullMarked
package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.NullMarked;
