/** Decides whether a credential can be exchanged for a token, without I/O. */
@NullMarked
package dev.slipway.iam.token.domain;

import org.jspecify.annotations.NullMarked;
