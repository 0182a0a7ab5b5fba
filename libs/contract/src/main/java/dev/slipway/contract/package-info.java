@NullMarked
package dev.slipway.contract;

import org.jspecify.annotations.NullMarked;
