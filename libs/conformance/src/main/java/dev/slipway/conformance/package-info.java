/**
 * The conformance kit: stands where the platform stands, gives an adapter commands, and judges what it does by the clauses of
 * docs/adapter-protocol.md. It knows of the adapter what the platform knows: topics, tokens, reports, endpoints.
 */
@NullMarked
package dev.slipway.conformance;

import org.jspecify.annotations.NullMarked;
