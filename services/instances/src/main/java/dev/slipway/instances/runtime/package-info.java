@NullMarked
package dev.slipway.instances.runtime;

import org.jspecify.annotations.NullMarked;
