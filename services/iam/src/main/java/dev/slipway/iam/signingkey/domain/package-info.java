/** Derives the state of a signing key from its times, without I/O. */
@NullMarked
package dev.slipway.iam.signingkey.domain;

import org.jspecify.annotations.NullMarked;
