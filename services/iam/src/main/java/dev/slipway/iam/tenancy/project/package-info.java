/** Creates, suspends, resumes and deletes the projects of organizations. */
@NullMarked
package dev.slipway.iam.tenancy.project;

import org.jspecify.annotations.NullMarked;
