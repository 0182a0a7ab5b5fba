/** The IAM service: its verticle, its settings, and the seed data that it ensures at start. */
@NullMarked
package dev.slipway.iam;

import org.jspecify.annotations.NullMarked;
