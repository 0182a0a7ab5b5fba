/** Runtime adapters as principals of the platform. */
@NullMarked
package dev.slipway.iam.adapter;

import org.jspecify.annotations.NullMarked;
