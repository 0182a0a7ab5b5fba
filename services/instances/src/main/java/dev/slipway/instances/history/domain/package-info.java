@NullMarked
package dev.slipway.instances.history.domain;

import org.jspecify.annotations.NullMarked;
