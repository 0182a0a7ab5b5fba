package dev.slipway.processadapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * The {@code adapter_detail} of a member. Tenants can read it, so it contains no host paths and no process ids.
 *
 * @param url address of the process while it is healthy
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record MemberDetail(@Nullable String url, LimitsDetail limits) {

    static MemberDetail of(@Nullable String url, ProcessLimits limits) {
        return new MemberDetail(url, new LimitsDetail(limits, "rlimits and niceness, per process"));
    }

    record LimitsDetail(@JsonUnwrapped ProcessLimits values, String enforcedBy) {}
}
