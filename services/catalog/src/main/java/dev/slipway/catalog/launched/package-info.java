/** What the catalog knows of instances, from their events. */
@NullMarked
package dev.slipway.catalog.launched;

import org.jspecify.annotations.NullMarked;
