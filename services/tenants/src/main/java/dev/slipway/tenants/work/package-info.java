/** Runs work that any process of the service can claim and continue. */
@NullMarked
package dev.slipway.tenants.work;

import org.jspecify.annotations.NullMarked;
