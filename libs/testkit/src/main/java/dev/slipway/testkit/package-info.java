@NullMarked
package dev.slipway.testkit;

import org.jspecify.annotations.NullMarked;
