package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MainTest {
  @ParameterizedTest
  @CsvSource({
    "--bogus, Unknown option: '--bogus'",
    "--http-port=x, Invalid value for option '--http-port': 'x' is not an int"
  })
  void wrongCommandLine_isOneLineAndWrongUse(String argument, String problem) {
    StringWriter err = new StringWriter();

    int code = Main.commandLine().setErr(new PrintWriter(err)).execute(argument);

    assertEquals(2, code);
    assertEquals(
        "malob run: " + problem + "; 'malob run --help' tells more" + System.lineSeparator(),
        err.toString());
  }
}
