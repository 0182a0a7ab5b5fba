@NullMarked
package dev.slipway.catalog.registry;

import org.jspecify.annotations.NullMarked;
