/** The lifecycle of app versions, as pure decisions. */
@NullMarked
package dev.slipway.catalog.app.version.domain;

import org.jspecify.annotations.NullMarked;
