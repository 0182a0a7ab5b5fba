/** Pure parts of the audit log: the Merkle tree of RFC 9162, and the checkpoints and tiles of the C2SP transparency log formats. */
@NullMarked
package dev.slipway.audit.log.domain;

import org.jspecify.annotations.NullMarked;
