@NullMarked
package dev.slipway.instances.usage;

import org.jspecify.annotations.NullMarked;
