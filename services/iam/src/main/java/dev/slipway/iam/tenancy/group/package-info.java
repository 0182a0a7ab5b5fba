/** Manages groups of an organization and their members. */
@NullMarked
package dev.slipway.iam.tenancy.group;

import org.jspecify.annotations.NullMarked;
