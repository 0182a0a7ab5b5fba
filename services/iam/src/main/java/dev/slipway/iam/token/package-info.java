@NullMarked
package dev.slipway.iam.token;

import org.jspecify.annotations.NullMarked;
