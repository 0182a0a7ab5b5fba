/** Any of the services in one process, by default all, on embedded or external Kafka and PostgreSQL. */
@NullMarked
package dev.slipway.standalone;

import org.jspecify.annotations.NullMarked;
