@NullMarked
package dev.slipway.catalog;

import org.jspecify.annotations.NullMarked;
