package org.gradle.internal.compiler.java;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.processing.Processor;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.tools.JavaCompiler;

/**
 * Stands in for the class that Gradle wraps round javac, by this name and constructor, to learn for incremental
 * compilation which source gave which classes and which class uses whose constants.
 *
 * <p>The original tells constants in a class's interface from those in its bodies. This one reports all of them as the
 * former, which can only make Gradle recompile more than it must.
 */
public class IncrementalCompileTask implements JavaCompiler.CompilationTask {
    private final JavacTask task;
    private final Function<File, Optional<String>> relativize;
    private final Consumer<String> classBackup;
    private final Consumer<Map<String, Set<String>>> classNames;
    private final BiConsumer<String, String> constantUse;
    private final Map<String, Set<String>> classesBySource = new HashMap<>();

    public IncrementalCompileTask(
            JavaCompiler.CompilationTask delegate,
            Function<File, Optional<String>> relativize,
            Consumer<String> classBackup,
            Consumer<Map<String, Set<String>>> classNames,
            BiConsumer<String, String> publicConstantUse,
            BiConsumer<String, String> privateConstantUse) {
        this.task = (JavacTask) delegate;
        this.relativize = relativize;
        this.classBackup = classBackup;
        this.classNames = classNames;
        this.constantUse = publicConstantUse;
        task.addTaskListener(new Listener());
    }

    @Override
    public void addModules(Iterable<String> moduleNames) {
        task.addModules(moduleNames);
    }

    @Override
    public void setProcessors(Iterable<? extends Processor> processors) {
        task.setProcessors(processors);
    }

    @Override
    public void setLocale(Locale locale) {
        task.setLocale(locale);
    }

    @Override
    public Boolean call() {
        try {
            return task.call();
        } finally {
            classNames.accept(classesBySource);
        }
    }

    private String binaryName(TypeElement type) {
        return task.getElements().getBinaryName(type).toString();
    }

    private final class Listener implements TaskListener {
        @Override
        public void started(TaskEvent event) {
            if (event.getKind() == TaskEvent.Kind.GENERATE && event.getSourceFile() != null) {
                var source = new File(event.getSourceFile().getName());
                var name = generatedName(event, source.getName());
                classBackup.accept(name);
                relativize.apply(source).ifPresent(
                        path -> classesBySource.computeIfAbsent(path, key -> new HashSet<>()).add(name));
            }
        }

        @Override
        public void finished(TaskEvent event) {
            if (event.getKind() == TaskEvent.Kind.ANALYZE && event.getTypeElement() != null) {
                var trees = Trees.instance(task);
                TreePath root = trees.getPath(event.getTypeElement());
                if (root != null) {
                    new ConstantScanner(trees, binaryName(event.getTypeElement())).scan(root, null);
                }
            }
        }

        private String generatedName(TaskEvent event, String fileName) {
            if (fileName.equals("module-info.java")) {
                return "module-info";
            }
            if (fileName.equals("package-info.java")) {
                ExpressionTree packageName = event.getCompilationUnit().getPackageName();
                return packageName == null ? "package-info" : packageName + ".package-info";
            }
            return binaryName(event.getTypeElement());
        }
    }

    private final class ConstantScanner extends TreePathScanner<Void, Void> {
        private final Trees trees;
        private final String user;

        ConstantScanner(Trees trees, String user) {
            this.trees = trees;
            this.user = user;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void unused) {
            report();
            return super.visitIdentifier(tree, unused);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            report();
            return super.visitMemberSelect(tree, unused);
        }

        private void report() {
            var element = trees.getElement(getCurrentPath());
            if (element instanceof VariableElement
                    && ((VariableElement) element).getConstantValue() != null
                    && element.getEnclosingElement() instanceof TypeElement) {
                var origin = binaryName((TypeElement) element.getEnclosingElement());
                if (!origin.equals(user)) {
                    constantUse.accept(origin, user);
                }
            }
        }
    }
}
