@NullMarked
package dev.slipway.catalog.source;

import org.jspecify.annotations.NullMarked;
