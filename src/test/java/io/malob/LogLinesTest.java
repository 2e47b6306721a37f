package io.malob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * That every line of the log has the name of an event first, then its values with a key each, and
 * that docs/reference/metrics.md lists the events.
 */
class LogLinesTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "io", "malob");

  private static final Pattern STATEMENT =
      Pattern.compile(
          "\\b(?:log|LOG|logger)\\s*\\.(?:trace|debug|info|warn|error)\\(\\s*"
              + "(\"(?:[^\"\\\\]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\]|\\\\.)*\")*|[^\"]\\w*)");
  private static final Pattern FORM =
      Pattern.compile("([a-z][a-z0-9_]*)(?: [a-z][a-z0-9_]*=(?:\\{}|\"\\{}\"))*(?: - [^{}]+)?");

  /** The only class whose lines are not written where they are logged; it makes the same form. */
  private static final Set<String> WITHOUT_LITERAL = Set.of("RareWarning.java");

  private record Line(String file, String pattern) {}

  private static List<Line> lines() throws IOException {
    List<Line> lines = new ArrayList<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(LogLinesTest::isLooked).toList()) {
        Matcher statement = STATEMENT.matcher(Files.readString(file));
        while (statement.find()) {
          lines.add(new Line(file.getFileName().toString(), statement.group(1)));
        }
      }
    }
    return lines;
  }

  /** The part of an end host has a log of its own, which its users read as it is. */
  private static boolean isLooked(Path file) {
    return file.toString().endsWith(".java");
  }

  private static String text(String literal) {
    return literal
        .replaceAll("\"\\s*\\+\\s*\"", "")
        .replaceAll("^\"|\"$", "")
        .replace("\\\"", "\"");
  }

  @Test
  void line_isAnEventWithKeysAndValues() throws Exception {
    List<Line> lines = lines();
    assertTrue(lines.size() >= 60, lines.size() + " lines");
    List<String> wrong = new ArrayList<>();
    for (Line line : lines) {
      boolean isLiteral = line.pattern.startsWith("\"");
      if (isLiteral
          ? !FORM.matcher(text(line.pattern)).matches()
          : !WITHOUT_LITERAL.contains(line.file)) {
        wrong.add(line.file + ": " + line.pattern);
      }
    }
    assertEquals(List.of(), wrong, "the form is: event_name key={} other=\"{}\" - a sentence");
  }

  @Test
  void events_areThoseThatThePageLists() throws Exception {
    Set<String> events =
        new TreeSet<>(
            Set.of(
                "access_refused",
                "http_connection_refused",
                "message_listener_failed",
                "message_problem",
                "switch_not_listed"));
    for (Line line : lines()) {
      Matcher form = FORM.matcher(text(line.pattern));
      if (line.pattern.startsWith("\"") && form.matches()) {
        events.add(form.group(1));
      }
    }
    Set<String> listed = new TreeSet<>();
    boolean isInTable = false;
    for (String row : Files.readAllLines(Path.of("docs", "reference", "metrics.md"))) {
      isInTable = row.startsWith("| event |") || (isInTable && row.startsWith("|"));
      Matcher name = Pattern.compile("^\\| `([a-z0-9_]+)` \\|").matcher(row);
      if (isInTable && name.find()) {
        listed.add(name.group(1));
      }
    }
    assertEquals(events, listed);
  }
}
