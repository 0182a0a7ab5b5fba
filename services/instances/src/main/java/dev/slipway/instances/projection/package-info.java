@NullMarked
package dev.slipway.instances.projection;

import org.jspecify.annotations.NullMarked;
