/** App versions, from draft to retired: API operations and storage. */
@NullMarked
package dev.slipway.catalog.app.version;

import org.jspecify.annotations.NullMarked;
