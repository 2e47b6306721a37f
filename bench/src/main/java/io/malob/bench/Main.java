package io.malob.bench;

import io.malob.controller.Version;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The benchmarks' program. Exit codes: 0 done, 1 failed or a check did not hold, 2 wrong use, 3
 * something needed is missing.
 */
@Command(
    name = "malob bench",
    description = "Measures MALOB.",
    mixinStandardHelpOptions = true,
    subcommands = {
      PacketInCommand.class,
      ReportsCommand.class,
      HeapCommand.class,
      StormCommand.class,
      FootprintCommand.class,
      AdoptionCommand.class,
      MastershipCommand.class,
      CodecCommand.class,
      JmhCommand.class,
      SwitchesCommand.class,
      SlowClientsCommand.class,
      LatencyCommand.class,
      HealthCommand.class,
      BucketsCommand.class,
      ResponderCommand.class
    })
public final class Main implements Callable<Integer> {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int WRONG_USE = 2;
  static final int MISSING = 3;

  @Spec private @Nullable CommandSpec spec;

  /** Runs one benchmark and ends the process. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    Version.addTo(commandLine);
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          if (failure instanceof WrongUseException) {
            return refuse(command, String.valueOf(failure.getMessage()));
          }
          System.err.println(command.getCommandName() + ": " + text(failure));
          return FAILED;
        });
    commandLine.setParameterExceptionHandler(
        (wrong, args) -> refuse(wrong.getCommandLine(), String.valueOf(wrong.getMessage())));
    return commandLine;
  }

  private static int refuse(CommandLine command, String sentence) {
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().printf("%s: %s; see '%s --help'%n", name, sentence, name);
    return WRONG_USE;
  }

  private static String text(Exception failure) {
    return failure instanceof RuntimeException || failure.getMessage() == null
        ? failure.toString()
        : failure.getMessage();
  }

  @Override
  public Integer call() {
    throw new WrongUseException("name a benchmark; 'list' shows them");
  }

  @Command(name = "list", description = "Lists the benchmarks and what each shows.")
  Integer list() {
    if (spec != null) {
      spec.subcommands()
          .forEach(
              (name, command) -> {
                if (!command.getCommandSpec().usageMessage().hidden() && !name.equals("list")) {
                  String[] text = command.getCommandSpec().usageMessage().description();
                  System.out.printf("%-13s%s%n", name, String.join(" ", text));
                }
              });
    }
    return DONE;
  }
}
