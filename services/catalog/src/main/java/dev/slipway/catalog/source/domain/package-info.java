@NullMarked
package dev.slipway.catalog.source.domain;

import org.jspecify.annotations.NullMarked;
