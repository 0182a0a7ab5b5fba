@NullMarked
package dev.slipway.catalog.version.domain;

import org.jspecify.annotations.NullMarked;
