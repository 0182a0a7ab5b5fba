@NullMarked
package dev.slipway.instances.plan;

import org.jspecify.annotations.NullMarked;
