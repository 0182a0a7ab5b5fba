/** The edge: one route per operation of the contract, and no code of its own for any of them. */
@NullMarked
package dev.slipway.gateway;

import org.jspecify.annotations.NullMarked;
