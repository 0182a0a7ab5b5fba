/** The invariants of instances and shared runtimes: checks of the own rows, and claims that other services verify. */
@NullMarked
package dev.slipway.instances.consistency;

import org.jspecify.annotations.NullMarked;
