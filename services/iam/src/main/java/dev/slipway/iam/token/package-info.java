/** Exchanges credentials of users, service accounts and adapters for short-lived tokens. */
@NullMarked
package dev.slipway.iam.token;

import org.jspecify.annotations.NullMarked;
