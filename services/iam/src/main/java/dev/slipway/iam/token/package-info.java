/** The exchange of credentials for tokens. */
@NullMarked
package dev.slipway.iam.token;

import org.jspecify.annotations.NullMarked;
