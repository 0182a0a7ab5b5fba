@NullMarked
package dev.slipway.iam.revocation;

import org.jspecify.annotations.NullMarked;
