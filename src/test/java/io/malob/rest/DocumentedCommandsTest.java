package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.store.MemoryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The commands in docs/reference/rest-api.md, one after the other, have the statuses that it says.
 */
class DocumentedCommandsTest {
  private static final Pattern COMMAND =
      Pattern.compile(
          "^curl (?:-X (?<method>[A-Z]+) )?(?:-d '(?<body>[^']*)' )?"
              + "(?<quote>'?)http://localhost:8080(?<path>[^\\s']+)\\k<quote> +# (?<status>\\d+)",
          Pattern.MULTILINE);

  @Test
  void documentedCommands_haveTheStatusesThatAreDocumented() throws Exception {
    String page = Files.readString(Path.of("docs", "reference", "rest-api.md"));
    RestServer server = new RestServer(new MemoryStore(Runnable::run));
    try {
      int commands = 0;
      for (Matcher command = COMMAND.matcher(page); command.find(); commands++) {
        String method = command.group("method") == null ? "GET" : command.group("method");
        RestServer.Answer answer =
            server.sendTo(method, command.group("path"), command.group("body"));
        assertEquals(
            Integer.parseInt(command.group("status")),
            answer.status(),
            command.group() + "\n" + answer.text());
      }
      assertEquals(
          Pattern.compile("^curl ", Pattern.MULTILINE).matcher(page).results().count(), commands);
      assertTrue(commands >= 15);
    } finally {
      server.close();
    }
  }
}
