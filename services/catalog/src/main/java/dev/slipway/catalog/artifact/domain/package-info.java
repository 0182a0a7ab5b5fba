@NullMarked
package dev.slipway.catalog.artifact.domain;

import org.jspecify.annotations.NullMarked;
