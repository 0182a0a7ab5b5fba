@NullMarked
package dev.slipway.catalog.app;

import org.jspecify.annotations.NullMarked;
