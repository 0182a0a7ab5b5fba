/** Who a caller is and what they may do: decided in process, from a read model whose age is known. */
@NullMarked
package dev.slipway.authz;

import org.jspecify.annotations.NullMarked;
