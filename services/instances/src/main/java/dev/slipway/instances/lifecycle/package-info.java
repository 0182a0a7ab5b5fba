@NullMarked
package dev.slipway.instances.lifecycle;

import org.jspecify.annotations.NullMarked;
