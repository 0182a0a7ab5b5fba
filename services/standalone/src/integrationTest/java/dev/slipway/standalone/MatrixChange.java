package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.UUID;

/** A change of an app instance or shared runtime that the kill matrix interrupts; a change that creates its subject has a null subject. */
interface MatrixChange {
    String name();

    /** Returns the steps in the order of their first appearance. */
    List<String> steps();

    /** Returns the start of the line that the adapter writes for the change, or an empty text if no adapter takes part in it. */
    String effect();

    /** Returns the start of the audit actions that are recorded for it, once. */
    String auditAction();

    /** Creates the subject in the state in which the change starts. Returns null if the change creates it. */
    UUID prepare(ProcessCluster processCluster, String key);

    Call call(ProcessCluster processCluster, UUID subject, String key);

    /** Asserts that the change has its result, and that no part of it remains unfinished. */
    void assertCompleted(ProcessCluster processCluster, UUID subject);
}
