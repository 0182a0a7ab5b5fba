package dev.slipway.messaging;

import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class BrokerAclsTest {
    private static final Path PAGE = Path.of("../../docs/production.md");

    @Test
    void rules_areThoseOfDocumentation() throws IOException {
        var documented = new TreeSet<String>();
        Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.startsWith("| Principal | Resource |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .flatMap(BrokerAclsTest::expand)
                .forEach(documented::add);

        var rules = new TreeSet<String>();
        for (var rule : BrokerAcls.rules()) {
            for (var operation : rule.operations()) {
                rules.add(row(rule.principal(), rule.resource(), rule.name(), operation.name()));
            }
        }

        assertThat(documented).isEqualTo(rules);
    }

    @Test
    void bindings_haveTopicPrefix_andPatternOfName() {
        var rules = List.of(
                new BrokerAcls.Rule("a", "topic", "runtime.commands.*", List.of(AclOperation.WRITE)),
                new BrokerAcls.Rule("a", "group", "iam.x", List.of(AclOperation.READ)));

        assertThat(BrokerAcls.bindings(rules, "p."))
                .extracting(binding -> binding.pattern().name(), binding -> binding.pattern()
                        .patternType())
                .containsExactly(
                        org.assertj.core.api.Assertions.tuple("p.runtime.commands.", PatternType.PREFIXED),
                        org.assertj.core.api.Assertions.tuple("p.iam.x", PatternType.LITERAL));
    }

    /** Services write no topic of another one, except audit records and dead letters. */
    @Test
    void everySignedTopic_isWrittenByItsOwnerAndOperatorsOnly() {
        for (var topic : Topics.SIGNED) {
            assertThat(BrokerAcls.rules().stream()
                            .filter(rule -> rule.name().equals(topic)
                                    && rule.operations().contains(AclOperation.WRITE))
                            .map(BrokerAcls.Rule::principal))
                    .as(topic)
                    .contains(Topics.owner(topic))
                    .isSubsetOf(Set.of(String.valueOf(Topics.owner(topic)), BrokerAcls.OPERATOR));
        }
    }

    private static Stream<String> expand(String line) {
        if (line.contains("{backend}")) {
            return Topics.RUNTIME_BACKENDS.stream().flatMap(backend -> expand(line.replace("{backend}", backend)));
        }
        var cells = line.replace("`", "").split("\\|", -1);
        return Arrays.stream(cells[3].split(",", -1)).flatMap(name -> Arrays.stream(cells[4].split(",", -1))
                .map(operation -> row(cells[1], cells[2], name, operation)));
    }

    private static String row(String principal, String resource, String name, String operation) {
        return String.join(
                " ",
                principal.strip(),
                resource.strip(),
                name.strip(),
                operation.strip().toUpperCase(java.util.Locale.ROOT));
    }
}
