@NullMarked
package dev.slipway.instances.declared;

import org.jspecify.annotations.NullMarked;
