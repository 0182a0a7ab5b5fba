@NullMarked
package dev.slipway.iam.decision;

import org.jspecify.annotations.NullMarked;
