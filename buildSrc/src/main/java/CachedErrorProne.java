import com.sun.source.util.JavacTask;
import com.sun.source.util.Plugin;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.processing.JavacProcessingEnvironment;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Loads Error Prone once per compiler JVM. The compiler creates a new class loader for its plugins at each compilation, so that about a
 * thousand classes are read, verified and warmed up again for every source set, which took two fifths of the compile time.
 */
public final class CachedErrorProne implements Plugin {
    @Override
    public String getName() {
        return "CachedErrorProne";
    }

    @Override
    public void init(JavacTask task, String... arguments) {
        var environment = JavacProcessingEnvironment.instance(((BasicJavacTask) task).getContext());
        var path = ((URLClassLoader) environment.getProcessorClassLoader()).getURLs();
        var loader = cachedLoader(path);
        useCachedLoader(environment, loader);
        errorProne(loader).init(task, arguments);
    }

    /** Returns the loader from the JVM's properties: this class is loaded again each time, so its static fields do not last. */
    private static ClassLoader cachedLoader(URL[] path) {
        var key = "slipway.compiler.plugins" + List.of(path);
        return (ClassLoader) System.getProperties()
                .computeIfAbsent(key, unused -> new URLClassLoader(path, JavacTask.class.getClassLoader()));
    }

    /** Makes the compiler load further checks, such as NullAway's, with the same Error Prone. */
    private static void useCachedLoader(JavacProcessingEnvironment environment, ClassLoader loader) {
        try {
            var field = JavacProcessingEnvironment.class.getDeclaredField("processorClassLoader");
            field.setAccessible(true);
            field.set(environment, new URLClassLoader(new URL[0], loader)); // the compiler closes this loader
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This JDK's compiler is built differently; use Error Prone's own plugin", e);
        }
    }

    private static Plugin errorProne(ClassLoader loader) {
        return ServiceLoader.load(Plugin.class, loader).stream()
                .map(ServiceLoader.Provider::get)
                .filter(plugin -> plugin.getName().equals("ErrorProne"))
                .findFirst()
                .orElseThrow();
    }
}
