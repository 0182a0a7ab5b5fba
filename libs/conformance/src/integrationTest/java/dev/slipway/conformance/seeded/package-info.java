/** An adapter written against the protocol alone, with switches to violate each clause. */
package dev.slipway.conformance.seeded;
