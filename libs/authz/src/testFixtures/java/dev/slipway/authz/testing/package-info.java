/** Test keys and data for authorization tests. */
@NullMarked
package dev.slipway.authz.testing;

import org.jspecify.annotations.NullMarked;
