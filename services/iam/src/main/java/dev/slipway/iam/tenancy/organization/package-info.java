/** Organizations and their departments. */
@NullMarked
package dev.slipway.iam.tenancy.organization;

import org.jspecify.annotations.NullMarked;
