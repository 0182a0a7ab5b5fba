/** Creates, changes and deletes organizations, and manages their departments. */
@NullMarked
package dev.slipway.iam.tenancy.organization;

import org.jspecify.annotations.NullMarked;
