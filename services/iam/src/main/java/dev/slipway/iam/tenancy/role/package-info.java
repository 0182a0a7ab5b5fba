/** Built-in roles, and roles that organizations define. */
@NullMarked
package dev.slipway.iam.tenancy.role;

import org.jspecify.annotations.NullMarked;
