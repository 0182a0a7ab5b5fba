/** Status of apps. */
@NullMarked
package dev.slipway.catalog.app.domain;

import org.jspecify.annotations.NullMarked;
