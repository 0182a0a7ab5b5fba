@NullMarked
package dev.slipway.instances.appinstance;

import org.jspecify.annotations.NullMarked;
