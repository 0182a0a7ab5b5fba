/** The part of the contracts that domain packages use: the text of enums. */
@NullMarked
package dev.slipway.contract.domain;

import org.jspecify.annotations.NullMarked;
