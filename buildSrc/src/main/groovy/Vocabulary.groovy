import org.gradle.api.DefaultTask
import org.gradle.api.GradleException
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.DirectoryProperty
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.tasks.CacheableTask
import org.gradle.api.tasks.InputFile
import org.gradle.api.tasks.InputFiles
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.OutputFile
import org.gradle.api.tasks.PathSensitive
import org.gradle.api.tasks.PathSensitivity
import org.gradle.api.tasks.TaskAction

/**
 * Fails on wording that CONTRIBUTING forbids and a machine can find: metaphors in the names of classes and methods, Javadoc that starts with
 * a fragment, private phrases in texts, and two top-level classes with one simple name.
 */
@CacheableTask
abstract class Vocabulary extends DefaultTask {
    static final Set<String> METAPHORS =
            ['lane', 'shop', 'keeper', 'judge', 'judged', 'crew', 'door', 'desk', 'harbor', 'seal', 'world', 'stage', 'frame'] as Set
    static final List<String> FRAGMENTS = ['What', 'Whether', 'Those', 'That which', 'Of', 'Who', 'Whoever', 'Nobody', 'As it', 'One that', 'Has']
    static final List<String> PHRASES = ['is told', 'are told', 'was told', 'let go', 'what is known', 'what there is', 'told to nobody', 'is over and',
            'may see here', 'new here', 'is away', 'that which', 'keeps house', 'said of it', 'told again']

    static final def DECLARED_TYPE = ~/\b(?:class|record|enum|interface)\s+([A-Z]\w*)/
    static final def DECLARED_METHOD = ~/^\s+(?:(?:public|private|protected|static|final|abstract|synchronized|default)\s+)*(?:<[^>]+>\s+)?[\w.]+(?:<.*>)?(?:\[\])?\s+([a-z]\w*)\s*\([^;]*$/
    static final def NOT_A_TYPE = ~/^\s*(?:return|new|else|throw|case|yield|assert)\b/
    static final def JAVADOC_START = ~/^\s*\/\*\*\s*(\S.*)?$/

    @InputFiles
    @PathSensitive(PathSensitivity.RELATIVE)
    abstract ConfigurableFileCollection getSources()

    /** Lines of {@code path: word}; empty, unless a word has a reason that a reader would accept. */
    @InputFile
    @PathSensitive(PathSensitivity.RELATIVE)
    abstract RegularFileProperty getAllowlist()

    @Internal
    abstract DirectoryProperty getRoot()

    @OutputFile
    abstract RegularFileProperty getReport()

    @TaskAction
    void check() {
        def allowed = allowlist.get().asFile.readLines().findAll { it && !it.startsWith('#') } as Set
        def problems = []
        def topLevel = [:].withDefault { [] }
        def base = root.get().asFile.toPath()
        sources.files.sort().each { file ->
            def path = base.relativize(file.toPath()).toString()
            def add = { int line, String word, String problem ->
                if (!("$path: $word".toString() in allowed)) { problems << "$path:$line: $problem" }
            }
            def lines = file.readLines('UTF-8')
            if (path.endsWith('.java')) {
                if (!path.endsWith('package-info.java')) { topLevel[file.name] << path }
                checkJava(lines, add)
            }
            checkPhrases(lines, add)
        }
        topLevel.findAll { it.value.size() > 1 }.each { name, paths -> problems << "two classes named ${name - '.java'}: ${paths.join(', ')}" }
        report.get().asFile.text = problems.join('\n')
        if (problems) { throw new GradleException("${problems.size()} places need plain words:\n  " + problems.join('\n  ')) }
    }

    static void checkJava(List<String> lines, Closure add) {
        lines.eachWithIndex { line, index ->
            if (line.contains('/**')) { checkJavadoc(lines, index, add) }
            def text = line.trim()
            if (text.startsWith('*') || text.startsWith('//') || text.startsWith('/*') || line ==~ /.*"""?.*/ || NOT_A_TYPE.matcher(line).find()) { return }
            def names = []
            def type = DECLARED_TYPE.matcher(line)
            while (type.find()) { names << type.group(1) }
            def method = DECLARED_METHOD.matcher(line)
            if (method.find()) { names << method.group(1) }
            names.each { name ->
                name.split(/(?=[A-Z])|_/).collect { it.toLowerCase() }.findAll { it in METAPHORS }.each { add(index + 1, it, "the name $name is a metaphor ($it)") }
            }
        }
    }

    static void checkJavadoc(List<String> lines, int index, Closure add) {
        def start = JAVADOC_START.matcher(lines[index])
        if (!start.find()) { return }
        def first = start.group(1) ?: (index + 1 < lines.size() ? lines[index + 1].replaceFirst(/^\s*\*\s?/, '') : '')
        FRAGMENTS.findAll { first.startsWith(it + ' ') }.each { add(index + 1, it, "the Javadoc starts with a fragment: ${first.take(60)}") }
    }

    static void checkPhrases(List<String> lines, Closure add) {
        lines.eachWithIndex { line, index ->
            def lower = line.toLowerCase()
            PHRASES.each { phrase ->
                def at = lower.indexOf(phrase)
                if (at >= 0 && (at == 0 || !Character.isLetterOrDigit(lower.charAt(at - 1)))
                        && (at + phrase.size() == lower.size() || !Character.isLetterOrDigit(lower.charAt(at + phrase.size())))) {
                    add(index + 1, phrase, "\"$phrase\": ${line.trim().take(80)}")
                }
            }
        }
    }
}
