/** The limits that billing sets to launches: balances, budgets and reservations of their amounts. */
@NullMarked
package dev.slipway.instances.spending;

import org.jspecify.annotations.NullMarked;
