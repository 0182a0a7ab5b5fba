/** Pure rules of signing keys. */
@NullMarked
package dev.slipway.iam.signingkey.domain;

import org.jspecify.annotations.NullMarked;
