/** The statuses of an app and their text in the database. */
@NullMarked
package dev.slipway.catalog.app.domain;

import org.jspecify.annotations.NullMarked;
