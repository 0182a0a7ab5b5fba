/** Measures the whole platform beside baselines that do the same without it; see docs/benchmarks.md. */
@NullMarked
package dev.slipway.benchmarks;

import org.jspecify.annotations.NullMarked;
