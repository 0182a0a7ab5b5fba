@NullMarked
package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.NullMarked;
