/** Creates, disables and enables runtime adapters, which are principals of the platform. */
@NullMarked
package dev.slipway.iam.adapter;

import org.jspecify.annotations.NullMarked;
