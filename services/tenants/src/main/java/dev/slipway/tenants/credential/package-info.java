/** Issues short-lived database credentials of tenants. */
@NullMarked
package dev.slipway.tenants.credential;

import org.jspecify.annotations.NullMarked;
