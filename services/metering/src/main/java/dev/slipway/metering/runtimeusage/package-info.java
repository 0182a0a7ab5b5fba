/** The usage of shared runtimes, by runtime and by project. */
@NullMarked
package dev.slipway.metering.runtimeusage;

import org.jspecify.annotations.NullMarked;
