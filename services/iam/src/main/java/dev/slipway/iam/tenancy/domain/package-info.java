/** Pure types and rules of tenancy. */
@NullMarked
package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.NullMarked;
