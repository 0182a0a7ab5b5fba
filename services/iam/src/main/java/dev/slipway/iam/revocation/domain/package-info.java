/** Pure types of revocations. */
@NullMarked
package dev.slipway.iam.revocation.domain;

import org.jspecify.annotations.NullMarked;
