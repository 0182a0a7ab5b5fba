@NullMarked
package dev.slipway.telemetry;

import org.jspecify.annotations.NullMarked;
