/** Token verification and authorization decisions in process, from a replicated model whose age is known. */
@NullMarked
package dev.slipway.authz;

import org.jspecify.annotations.NullMarked;
