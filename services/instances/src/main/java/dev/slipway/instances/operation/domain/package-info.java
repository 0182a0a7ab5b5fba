@NullMarked
package dev.slipway.instances.operation.domain;

import org.jspecify.annotations.NullMarked;
