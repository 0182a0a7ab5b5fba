@NullMarked
package dev.slipway.instances.history;

import org.jspecify.annotations.NullMarked;
