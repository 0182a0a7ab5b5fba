/** Policy levels: what each says, and what all of them leave to a project. */
@NullMarked
package dev.slipway.catalog.policy;

import org.jspecify.annotations.NullMarked;
