package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks the bill of materials of the distribution. */
class SbomTest {
    private static final String SCHEMA_IRI = "http://cyclonedx.org/schema/";

    @Test
    void sbom_conformsToTheSchemaOfCycloneDx() throws IOException {
        var factory = JsonSchemaFactory.getInstance(
                VersionFlag.V7,
                builder -> builder.schemaMappers(mappers -> mappers.mapPrefix(SCHEMA_IRI, "classpath:")));
        var schema = factory.getSchema(SchemaLocation.of(SCHEMA_IRI + "bom-1.6.schema.json"));

        assertThat(schema.validate(sbom())).isEmpty();
    }

    @Test
    void sbom_hasLockedVersionsWithHashAndLicense() throws IOException {
        var components = sbom().path("components");
        var listed = StreamSupport.stream(components.spliterator(), false)
                .map(component -> component.path("group").asText() + ":"
                        + component.path("name").asText() + ":"
                        + component.path("version").asText())
                .collect(Collectors.toSet());

        assertThat(listed).hasSizeGreaterThan(50);
        assertThat(lockedLibraries()).containsAll(listed);
        assertThat(components).allSatisfy(component -> {
            assertThat(component.at("/hashes/0/content").asText()).matches("[0-9a-f]{64}");
            assertThat(component.path("licenses")).as("%s", component).isNotEmpty();
        });
    }

    private static JsonNode sbom() throws IOException {
        return Json.parseInternal(Files.readAllBytes(Path.of("build/sbom.cdx.json")));
    }

    private static List<String> lockedLibraries() throws IOException {
        return Files.readAllLines(Path.of("gradle.lockfile")).stream()
                .map(line -> line.split("=", 2)[0])
                .toList();
    }
}
