/** The pure model of operations on a subject: its state machine, its blockers and its enums. */
@NullMarked
package dev.slipway.operations.domain;

import org.jspecify.annotations.NullMarked;
