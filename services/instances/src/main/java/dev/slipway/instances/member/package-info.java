@NullMarked
package dev.slipway.instances.member;

import org.jspecify.annotations.NullMarked;
