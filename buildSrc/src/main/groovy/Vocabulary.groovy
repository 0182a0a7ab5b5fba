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
 * Fails on wording that CONTRIBUTING forbids and a machine can find: metaphors in the names of classes, methods, fields and record components,
 * Javadoc that starts with a fragment, private phrases in texts, and two top-level classes with one simple name.
 */
@CacheableTask
abstract class Vocabulary extends DefaultTask {
    static final Set<String> METAPHORS =
            ['lane', 'shop', 'keeper', 'judge', 'judged', 'crew', 'door', 'desk', 'harbor', 'seal', 'world', 'stage', 'frame',
             'stranger', 'outsider', 'rotten', 'mended', 'dice', 'twin', 'beacon'] as Set
    static final List<String> FRAGMENTS = ['What', 'Whether', 'Those', 'That which', 'Of', 'Who', 'Whoever', 'Nobody', 'As it', 'One that', 'Has',
            'How', 'Which', 'Where', 'Everything', 'Something']
    static final List<String> PHRASES = ['is told', 'are told', 'was told', 'let go', 'what is known', 'what there is', 'told to nobody', 'is over and',
            'may see here', 'new here', 'is away', 'that which', 'keeps house', 'said of it', 'told again', 'in the name of', 'stands for', 'now and then', 'gives back', 'what is wrong with']

    static final def DECLARED_TYPE = ~/\b(?:class|record|enum|interface)\s+([A-Z]\w*)/
    static final def DECLARED_METHOD = ~/^\s+(?:(?:public|private|protected|static|final|abstract|synchronized|default)\s+)*(?:<[^>]+>\s+)?[\w.]+(?:<.*>)?(?:\[\])?\s+([a-z]\w*)\s*\(/
    static final def DECLARED_FIELD = ~/^\s+(?:(?:public|private|protected|static|final|volatile|transient)\s+)+(?:@\w+\s+)?[\w.]+(?:<.*>)?(?:\[\])?\s+(\w+)\s*(?:[=;]|$)/
    static final def RECORD_HEADER = ~/\brecord\s+\w+(?:<[^>]*>)?\s*\(/
    static final def COMPONENT = ~/(\w+)\s*(?:,|$)/
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
            if (path ==~ '(?:libs|services)/.*\\.java' && !path.endsWith('package-info.java')) { topLevel[file.name] << path }
            if (path.endsWith('.java') || path.endsWith('.groovy')) { checkNames(lines, add) }
            checkPhrases(lines, add)
        }
        topLevel.findAll { it.value.size() > 1 }.each { name, paths -> problems << "two classes named ${name - '.java'}: ${paths.join(', ')}" }
        report.get().asFile.text = problems.join('\n')
        if (problems) { throw new GradleException("${problems.size()} places need plain words:\n  " + problems.join('\n  ')) }
    }

    static void checkNames(List<String> lines, Closure add) {
        lines.eachWithIndex { line, index ->
            if (line.contains('/**')) { checkJavadoc(lines, index, add) }
            def text = line.trim()
            if (text.startsWith('*') || text.startsWith('//') || text.startsWith('/*') || line ==~ /.*"""?.*/ || NOT_A_TYPE.matcher(line).find()) { return }
            def names = []
            def type = DECLARED_TYPE.matcher(line)
            while (type.find()) { names << type.group(1) }
            [DECLARED_METHOD, DECLARED_FIELD].collect { it.matcher(line) }.findAll { it.find() }.each { names << it.group(1) }
            names.each { checkName(it, index + 1, add) }
        }
        checkComponents(lines.join('\n'), add)
    }

    /** Checks the components of records, whose headers may have several lines. */
    static void checkComponents(String text, Closure add) {
        def header = RECORD_HEADER.matcher(text)
        while (header.find()) {
            def line = text.substring(0, header.start()).count('\n') + 1
            def components = COMPONENT.matcher(text.substring(header.end(), closingParenthesis(text, header.end())).trim())
            while (components.find()) { checkName(components.group(1), line, add) }
        }
    }

    static int closingParenthesis(String text, int from) {
        int depth = 1
        int at = from
        while (at < text.length()) {
            def c = text.charAt(at)
            if (c == ('(' as char)) { depth++ }
            if (c == (')' as char) && --depth == 0) { return at }
            at++
        }
        return at
    }

    static void checkName(String name, int line, Closure add) {
        def words = name ==~ /[A-Z0-9_]+/ ? name.split('_') : name.split(/(?=[A-Z])|_/)
        words.collect { it.toLowerCase() }.findAll { it in METAPHORS }.each { add(line, it, "the name $name is a metaphor ($it)") }
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
