@NullMarked
package dev.slipway.instances.report;

import org.jspecify.annotations.NullMarked;
