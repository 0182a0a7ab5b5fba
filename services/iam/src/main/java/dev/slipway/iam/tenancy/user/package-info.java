/** Users. */
@NullMarked
package dev.slipway.iam.tenancy.user;

import org.jspecify.annotations.NullMarked;
