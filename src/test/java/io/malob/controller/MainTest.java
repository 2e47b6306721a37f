package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
  @ParameterizedTest
  @CsvSource({
    "--bogus, Unknown option: '--bogus'",
    "--node=left, --node needs --etcd",
    "--http-port=x, Invalid value for option '--http-port': 'x' is not an int"
  })
  void wrongCommandLine_isOneLineAndWrongUse(String argument, String problem) {
    StringWriter err = new StringWriter();

    int code = Main.commandLine().setErr(new PrintWriter(err)).execute(argument);

    assertEquals(2, code);
    assertEquals(
        "malob run: " + problem + "; see 'malob run --help'" + System.lineSeparator(),
        err.toString());
  }

  @Test
  void version_isPrinted() {
    StringWriter out = new StringWriter();

    int code = Main.commandLine().setOut(new PrintWriter(out)).execute("--version");

    assertEquals(0, code);
    // tests have no jar, whose manifest has the version
    assertEquals("MALOB from classes without a jar" + System.lineSeparator(), out.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.malob.controller.core.CoreModule.openFlowPrt=0",
        "io.malob.controller.core.CoreModule.openFlowPort=many",
        "io.malob.cluster.ClusterModule.endpoints=nowhere"
      })
  void settingThatIsWrong_isWrongUse(String line, @TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("wrong.properties"), line);
    assertEquals(2, Main.commandLine().execute("-cf", file.toString()));
  }
}
