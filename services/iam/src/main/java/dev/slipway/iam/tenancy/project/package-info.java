/** Projects. */
@NullMarked
package dev.slipway.iam.tenancy.project;

import org.jspecify.annotations.NullMarked;
