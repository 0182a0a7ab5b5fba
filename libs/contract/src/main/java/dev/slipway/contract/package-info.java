/** The compiled contracts: REST operations, event schemas, error codes, registries, and the JSON rules that all modules share. */
@NullMarked
package dev.slipway.contract;

import org.jspecify.annotations.NullMarked;
