/** Reads and validates the settings of a process. */
@NullMarked
package dev.slipway.settings;

import org.jspecify.annotations.NullMarked;
