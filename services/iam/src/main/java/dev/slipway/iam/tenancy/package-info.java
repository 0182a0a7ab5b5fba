/** Organizations, projects, users, groups, roles and role bindings, and how their changes are published. */
@NullMarked
package dev.slipway.iam.tenancy;

import org.jspecify.annotations.NullMarked;
