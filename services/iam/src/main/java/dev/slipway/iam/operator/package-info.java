/** Creates a service account per shared runtime from the events of the instances service, and lists these operators. */
@NullMarked
package dev.slipway.iam.operator;

import org.jspecify.annotations.NullMarked;
