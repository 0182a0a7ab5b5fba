@NullMarked
package dev.slipway.catalog.version;

import org.jspecify.annotations.NullMarked;
