/** The example adapter of docs/build-an-adapter.md. */
@NullMarked
package dev.slipway.example;

import org.jspecify.annotations.NullMarked;
