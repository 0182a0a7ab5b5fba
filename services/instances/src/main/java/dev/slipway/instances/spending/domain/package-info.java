/** The rules by which balances and budgets limit launches. */
@NullMarked
package dev.slipway.instances.spending.domain;

import org.jspecify.annotations.NullMarked;
