/** The platform as an adapter sees it: a broker with the two topics, and the token endpoint. */
package dev.slipway.adapter.testing;
