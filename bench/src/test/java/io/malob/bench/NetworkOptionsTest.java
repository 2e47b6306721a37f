package io.malob.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class NetworkOptionsTest {
  @ParameterizedTest
  @EnumSource
  void arguments_areReadBack(AddressFamily family) {
    Scenario scenario = new Scenario(2, 3, 4, 5, 7, 6, family);
    Arguments read = new Arguments();
    new CommandLine(read).parseArgs(NetworkOptions.arguments(scenario).toArray(String[]::new));
    assertEquals(scenario, read.options.scenario());
  }

  @Command
  private static final class Arguments {
    @Mixin private NetworkOptions options = new NetworkOptions();
  }

  @Test
  void reports_refuseIpv6() {
    CommandLine commands = Main.commandLine();
    StringWriter error = new StringWriter();
    commands.setErr(new PrintWriter(error));
    assertEquals(Main.WRONG_USE, commands.execute("reports", "--ipv6"));
    assertTrue(error.toString().contains("--ipv6"), error.toString());
  }
}
