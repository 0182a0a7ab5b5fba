/** Operators of shared runtimes. */
@NullMarked
package dev.slipway.iam.operator;

import org.jspecify.annotations.NullMarked;
