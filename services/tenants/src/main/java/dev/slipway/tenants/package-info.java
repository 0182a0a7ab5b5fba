/** The tenant runtime: workspaces with a database of their own, which organizations own. */
@NullMarked
package dev.slipway.tenants;

import org.jspecify.annotations.NullMarked;
