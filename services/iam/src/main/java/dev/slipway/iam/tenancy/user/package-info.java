/** Lists, disables and enables users, and resolves references to them. */
@NullMarked
package dev.slipway.iam.tenancy.user;

import org.jspecify.annotations.NullMarked;
