/** A simulated platform for adapter tests: a broker with both topics, and the HTTP API. */
package dev.slipway.adapter.testing;
