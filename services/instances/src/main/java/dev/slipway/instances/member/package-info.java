/** The JSON of members, which app instances and shared runtimes have in common. */
@NullMarked
package dev.slipway.instances.member;

import org.jspecify.annotations.NullMarked;
