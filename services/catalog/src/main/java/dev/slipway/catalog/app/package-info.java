/** Apps of the catalog: API operations, search and storage. */
@NullMarked
package dev.slipway.catalog.app;

import org.jspecify.annotations.NullMarked;
