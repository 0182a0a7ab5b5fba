@NullMarked
package dev.slipway.iam.signingkey;

import org.jspecify.annotations.NullMarked;
