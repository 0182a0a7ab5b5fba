@NullMarked
package dev.slipway.iam.issuer;

import org.jspecify.annotations.NullMarked;
