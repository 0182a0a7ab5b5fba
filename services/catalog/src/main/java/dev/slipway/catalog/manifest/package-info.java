@NullMarked
package dev.slipway.catalog.manifest;

import org.jspecify.annotations.NullMarked;
