/** External issuers: their keys, and the users who sign in with their tokens. */
@NullMarked
package dev.slipway.iam.issuer;

import org.jspecify.annotations.NullMarked;
