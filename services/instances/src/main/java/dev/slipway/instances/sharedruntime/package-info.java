/** Shared runtimes: owned by an organization, used by the projects that are attached to them. */
@NullMarked
package dev.slipway.instances.sharedruntime;

import org.jspecify.annotations.NullMarked;
