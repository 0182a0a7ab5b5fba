package dev.slipway.contract.domain;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TextEnumTest {
    private enum OrderState implements TextEnum {
        OPEN,
        PARTLY_PAID
    }

    @Test
    void parse_listsTexts_whenTextIsUnknown() {
        assertThatThrownBy(() -> TextEnum.parse(OrderState.class, "closed"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"closed\" is not a OrderState; use one of open, partly_paid");
    }

    @Test
    void find_returnsNull_whenTextIsUnknown() {
        assertThat(TextEnum.find(OrderState.class, "closed")).isNull();
    }

    @Test
    void parse_returnsConstant_whenGivenItsText() {
        for (var state : OrderState.values()) {
            assertThat(TextEnum.parse(OrderState.class, state.text())).isEqualTo(state);
        }
        assertThat(OrderState.PARTLY_PAID.text()).isEqualTo("partly_paid");
    }
}
