/** Revocation of tokens, and deletion of expired revocations. */
@NullMarked
package dev.slipway.iam.revocation;

import org.jspecify.annotations.NullMarked;
