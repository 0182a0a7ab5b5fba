@NullMarked
package dev.slipway.catalog.artifact;

import org.jspecify.annotations.NullMarked;
