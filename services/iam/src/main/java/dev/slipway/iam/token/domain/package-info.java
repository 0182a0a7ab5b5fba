/** Pure rules of token exchanges. */
@NullMarked
package dev.slipway.iam.token.domain;

import org.jspecify.annotations.NullMarked;
