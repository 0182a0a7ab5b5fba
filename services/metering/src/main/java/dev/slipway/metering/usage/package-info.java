/** How long each app instance ran. */
@NullMarked
package dev.slipway.metering.usage;

import org.jspecify.annotations.NullMarked;
