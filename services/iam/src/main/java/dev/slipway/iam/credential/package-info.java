@NullMarked
package dev.slipway.iam.credential;

import org.jspecify.annotations.NullMarked;
