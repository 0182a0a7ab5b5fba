/** Pure types of shared-runtime operators. */
@NullMarked
package dev.slipway.iam.operator.domain;

import org.jspecify.annotations.NullMarked;
