/** Credentials and the operations that all machine principals share. */
@NullMarked
package dev.slipway.iam.credential;

import org.jspecify.annotations.NullMarked;
