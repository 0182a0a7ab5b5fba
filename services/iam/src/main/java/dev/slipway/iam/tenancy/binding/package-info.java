/** Grants and revokes roles of users and groups on the platform, organizations and projects. */
@NullMarked
package dev.slipway.iam.tenancy.binding;

import org.jspecify.annotations.NullMarked;
