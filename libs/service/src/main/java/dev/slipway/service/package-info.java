/** The shared parts of every service: settings, database, event bus, mutations, health, start and stop. */
@NullMarked
package dev.slipway.service;

import org.jspecify.annotations.NullMarked;
