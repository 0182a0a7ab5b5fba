/** Test support: infrastructure, clients, event tap, simulated adapter and fault injection. */
@NullMarked
package dev.slipway.testkit;

import org.jspecify.annotations.NullMarked;
