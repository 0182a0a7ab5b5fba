/** Policy documents per level, the effective policy, and previews of policy changes. */
@NullMarked
package dev.slipway.catalog.policy;

import org.jspecify.annotations.NullMarked;
