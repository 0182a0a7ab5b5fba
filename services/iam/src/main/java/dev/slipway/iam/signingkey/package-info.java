/** The keys that sign and verify tokens. */
@NullMarked
package dev.slipway.iam.signingkey;

import org.jspecify.annotations.NullMarked;
