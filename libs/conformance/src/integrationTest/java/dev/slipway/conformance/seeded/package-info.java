/** An adapter that is written against the protocol alone, and can break every rule of it. */
package dev.slipway.conformance.seeded;
