@NullMarked
package dev.slipway.catalog.secret;

import org.jspecify.annotations.NullMarked;
