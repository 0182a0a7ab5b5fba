/** Records of revoked tokens and credentials, without I/O. */
@NullMarked
package dev.slipway.iam.revocation.domain;

import org.jspecify.annotations.NullMarked;
