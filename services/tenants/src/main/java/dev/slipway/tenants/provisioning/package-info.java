/** Creates, suspends, resumes and destroys tenants. */
@NullMarked
package dev.slipway.tenants.provisioning;

import org.jspecify.annotations.NullMarked;
