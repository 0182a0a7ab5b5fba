/**
 * The conformance kit: takes the role of the platform, sends commands to an adapter and checks its reports and effects against the clauses
 * of docs/adapter-protocol.md.
 */
@NullMarked
package dev.slipway.conformance;

import org.jspecify.annotations.NullMarked;
