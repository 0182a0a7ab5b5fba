/** Role bindings. */
@NullMarked
package dev.slipway.iam.tenancy.binding;

import org.jspecify.annotations.NullMarked;
