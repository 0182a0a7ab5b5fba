/** The API that evaluates and explains authorization decisions. */
@NullMarked
package dev.slipway.iam.decision;

import org.jspecify.annotations.NullMarked;
