/** Pure rules of credentials: limits, expiry, secrets and machine principals. */
@NullMarked
package dev.slipway.iam.credential.domain;

import org.jspecify.annotations.NullMarked;
