/** The accounts and budgets of organizations and projects: settings, balances and payments. */
@NullMarked
package dev.slipway.metering.account;

import org.jspecify.annotations.NullMarked;
