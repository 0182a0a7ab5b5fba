@NullMarked
package dev.slipway.instances.operation;

import org.jspecify.annotations.NullMarked;
