/** Creates, lists and revokes the API keys of users. */
@NullMarked
package dev.slipway.iam.apikey;

import org.jspecify.annotations.NullMarked;
