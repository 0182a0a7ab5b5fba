/** A service's frame: settings, database, the bus, mutations, health, start and stop. */
@NullMarked
package dev.slipway.service;

import org.jspecify.annotations.NullMarked;
