/** How a program is told what it must know. */
@NullMarked
package dev.slipway.settings;

import org.jspecify.annotations.NullMarked;
