/** The HTTP gateway: a Vert.x Web application that serves the operations of the contract by calling services over the event bus. */
@NullMarked
package dev.slipway.gateway;

import org.jspecify.annotations.NullMarked;
