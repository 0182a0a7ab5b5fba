/** The revision that every change of authorization data increments. */
@NullMarked
package dev.slipway.iam.revision;

import org.jspecify.annotations.NullMarked;
