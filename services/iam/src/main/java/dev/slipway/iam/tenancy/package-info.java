@NullMarked
package dev.slipway.iam.tenancy;

import org.jspecify.annotations.NullMarked;
