/** Generates, publishes, rotates and revokes the keys that sign tokens. */
@NullMarked
package dev.slipway.iam.signingkey;

import org.jspecify.annotations.NullMarked;
