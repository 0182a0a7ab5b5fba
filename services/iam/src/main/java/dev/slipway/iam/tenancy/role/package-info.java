@NullMarked
package dev.slipway.iam.tenancy.role;

import org.jspecify.annotations.NullMarked;
