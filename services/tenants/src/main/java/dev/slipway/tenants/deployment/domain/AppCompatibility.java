package dev.slipway.tenants.deployment.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Decides whether an app can be installed in a tenant. */
public record AppCompatibility(boolean compatible, List<Issue> issues) {
    /** The version of the interfaces that apps are written against. */
    public static final String KERNEL_VERSION = "3.0.0";

    /** A reason against an installation. */
    public record Issue(Category category, ValidationIssue.Severity severity, String message) {}

    /** The subjects of reasons. */
    public enum Category implements TextEnum {
        KERNEL_VERSION,
        OBJECT_CONFLICT,
        DEPENDENCY_MISSING,
        QUOTA_EXCEEDED,
        NOT_ENTITLED,
        INVALID_BUNDLE
    }

    /** The requirements of an app. */
    public record Requirements(
            @Nullable String minKernelVersion, @Nullable String maxKernelVersion, List<String> dependencies) {}

    /**
     * Checks an app.
     *
     * @param installed the names of the installed apps
     * @param quotaReason why the tenant may not have the objects of the app; null if it may
     * @param entitled whether the organization may use the app; null if that is not known, because no app of the catalog is named
     */
    public static AppCompatibility check(
            Requirements app,
            ValidationResult bundle,
            Set<String> installed,
            @Nullable String quotaReason,
            @Nullable Boolean entitled) {
        var issues = new ArrayList<Issue>();
        checkKernel(app, issues);
        bundle.issues().stream()
                .filter(issue -> issue.severity() == ValidationIssue.Severity.ERROR)
                .map(issue -> error(
                        issue.code().equals("object_conflict") ? Category.OBJECT_CONFLICT : Category.INVALID_BUNDLE,
                        issue.path() + ": " + issue.message()))
                .forEach(issues::add);
        app.dependencies.stream()
                .filter(dependency -> !installed.contains(dependency))
                .map(dependency -> error(
                        Category.DEPENDENCY_MISSING, "The app " + dependency + " is not installed. Install it first."))
                .forEach(issues::add);
        if (quotaReason != null) {
            issues.add(error(Category.QUOTA_EXCEEDED, quotaReason));
        }
        if (Boolean.FALSE.equals(entitled)) {
            issues.add(error(
                    Category.NOT_ENTITLED,
                    "No project of the organization is entitled to the app. Ask an administrator for an entitlement."));
        }
        return new AppCompatibility(issues.isEmpty(), List.copyOf(issues));
    }

    private static void checkKernel(Requirements app, List<Issue> issues) {
        if (app.minKernelVersion != null && Arrays.compare(parse(KERNEL_VERSION), parse(app.minKernelVersion)) < 0) {
            issues.add(error(
                    Category.KERNEL_VERSION,
                    "The app needs kernel " + app.minKernelVersion + " or later; this is " + KERNEL_VERSION + "."));
        }
        if (app.maxKernelVersion != null && Arrays.compare(parse(KERNEL_VERSION), parse(app.maxKernelVersion)) > 0) {
            issues.add(error(
                    Category.KERNEL_VERSION,
                    "The app needs kernel " + app.maxKernelVersion + " or earlier; this is " + KERNEL_VERSION + "."));
        }
    }

    private static int[] parse(String version) {
        return Arrays.stream(version.split("\\.", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static Issue error(Category category, String message) {
        return new Issue(category, ValidationIssue.Severity.ERROR, message);
    }
}
