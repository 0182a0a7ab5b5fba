import com.sun.source.util.JavacTask;
import com.sun.source.util.Plugin;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.processing.JavacProcessingEnvironment;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Error Prone, loaded once in the life of a compiler's JVM. The compiler makes a new class loader for its plugins at each compilation, so
 * that some thousand classes are read, verified and warmed up again for every source set: two fifths of what all compiling took.
 */
public final class KeptErrorProne implements Plugin {
    @Override
    public String getName() {
        return "KeptErrorProne";
    }

    @Override
    public void init(JavacTask task, String... arguments) {
        var environment = JavacProcessingEnvironment.instance(((BasicJavacTask) task).getContext());
        var path = ((URLClassLoader) environment.getProcessorClassLoader()).getURLs();
        var kept = kept(path);
        lookThere(environment, kept);
        errorProne(kept).init(task, arguments);
    }

    /** This class too is loaded anew each time, so it can keep nothing itself; the properties of the JVM stay. */
    private static ClassLoader kept(URL[] path) {
        var key = "slipway.compiler.plugins" + List.of(path);
        return (ClassLoader) System.getProperties()
                .computeIfAbsent(key, unused -> new URLClassLoader(path, JavacTask.class.getClassLoader()));
    }

    /** Error Prone asks the compiler where to find further checks, such as NullAway's. They must see the same Error Prone. */
    private static void lookThere(JavacProcessingEnvironment environment, ClassLoader kept) {
        try {
            var field = JavacProcessingEnvironment.class.getDeclaredField("processorClassLoader");
            field.setAccessible(true);
            field.set(environment, new URLClassLoader(new URL[0], kept)); // the compiler closes what it finds there
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This JDK's compiler is built differently; use Error Prone's own plugin", e);
        }
    }

    private static Plugin errorProne(ClassLoader kept) {
        return ServiceLoader.load(Plugin.class, kept).stream()
                .map(ServiceLoader.Provider::get)
                .filter(plugin -> plugin.getName().equals("ErrorProne"))
                .findFirst()
                .orElseThrow();
    }
}
