/** Pure types of runtime adapters. */
@NullMarked
package dev.slipway.iam.adapter.domain;

import org.jspecify.annotations.NullMarked;
