@NullMarked
package dev.slipway.catalog.registry.domain;

import org.jspecify.annotations.NullMarked;
