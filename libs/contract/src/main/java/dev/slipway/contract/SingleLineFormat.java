package dev.slipway.contract;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Format;

/** The format {@code single-line}, see {@link SingleLine}. */
final class SingleLineFormat implements Format {
    static final String NAME = "single-line";

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public boolean matches(ExecutionContext context, String text) {
        return SingleLine.matches(text);
    }
}
