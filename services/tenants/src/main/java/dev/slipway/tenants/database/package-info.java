/** The databases, schemas and roles of tenants in PostgreSQL. */
@NullMarked
package dev.slipway.tenants.database;

import org.jspecify.annotations.NullMarked;
