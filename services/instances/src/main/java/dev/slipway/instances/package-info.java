/** The instances service: launches and changes app instances, commands runtime adapters and applies their reports. */
@NullMarked
package dev.slipway.instances;

import org.jspecify.annotations.NullMarked;
