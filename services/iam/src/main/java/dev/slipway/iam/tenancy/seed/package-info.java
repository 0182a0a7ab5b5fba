@NullMarked
package dev.slipway.iam.tenancy.seed;

import org.jspecify.annotations.NullMarked;
