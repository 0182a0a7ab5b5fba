@NullMarked
package dev.slipway.iam;

import org.jspecify.annotations.NullMarked;
