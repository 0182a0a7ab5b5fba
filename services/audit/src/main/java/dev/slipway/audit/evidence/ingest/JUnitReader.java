package dev.slipway.audit.evidence.ingest;

import dev.slipway.contract.Json;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import java.io.StringReader;

/** Reads JUnit XML. Documents with a DTD are rejected, so that no entity is resolved or expanded. */
final class JUnitReader {
    private static final String CONTENT = "/content";
    private static final int MAX_DEPTH = 32;
    private static final int MAX_TESTS = 200_000;
    private static final XMLInputFactory FACTORY = factory();

    private JUnitReader() {}

    private static final class Counts {
        private int tests;
        private int failures;
        private int skipped;
    }

    private static XMLInputFactory factory() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        return factory;
    }

    /** A report without tests proves nothing, so its result is failed. */
    static EvidenceContent read(String xml) {
        var counts = count(xml);
        var fields = Json.object()
                .put("tests", counts.tests)
                .put("failures", counts.failures)
                .put("skipped", counts.skipped);
        var passed = counts.tests > 0 && counts.failures == 0;
        return EvidenceContent.of(EvidenceContent.utf8(xml), null, passed ? "passed" : "failed", fields);
    }

    private static Counts count(String xml) {
        try {
            var reader = FACTORY.createXMLStreamReader(new StringReader(xml));
            try {
                return count(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new EvidenceException(CONTENT, "is not well-formed XML");
        }
    }

    private static Counts count(XMLStreamReader reader) throws XMLStreamException {
        var counts = new Counts();
        var depth = 0;
        var failed = false;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
                    throw new EvidenceException(CONTENT, "must not contain a document type or entities");
                case XMLStreamConstants.START_ELEMENT -> {
                    var name = reader.getLocalName();
                    depth++;
                    requireLimits(name, depth, counts);
                    if (name.equals("testcase")) {
                        counts.tests++;
                        failed = false;
                    } else if (name.equals("skipped")) {
                        counts.skipped++;
                    } else if ((name.equals("failure") || name.equals("error")) && !failed) {
                        counts.failures++;
                        failed = true;
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> depth--;
                default -> {}
            }
        }
        return counts;
    }

    private static void requireLimits(String name, int depth, Counts counts) {
        if (depth == 1 && !name.equals("testsuite") && !name.equals("testsuites")) {
            throw new EvidenceException(CONTENT, "is not a JUnit report: its root is neither testsuites nor testsuite");
        }
        if (depth > MAX_DEPTH || counts.tests > MAX_TESTS) {
            throw new EvidenceException(CONTENT, "is nested too deeply or has too many tests");
        }
    }
}
