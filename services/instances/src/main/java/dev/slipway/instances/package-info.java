@NullMarked
package dev.slipway.instances;

import org.jspecify.annotations.NullMarked;
