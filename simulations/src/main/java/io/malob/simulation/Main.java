package io.malob.simulation;

import io.malob.controller.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The program of the simulations. Exit codes: 0 done, 1 failed or a check did not hold, 2 wrong
 * use.
 */
@Command(
    name = "malob lab simulate",
    description = "Simulates networks, clients and servers around the controller's own algorithms.",
    mixinStandardHelpOptions = true,
    subcommands = {
      FluidCommand.class,
      HerdingCommand.class,
      MixCommand.class,
      AntagonistCommand.class,
      MptcpFluidCommand.class,
      HamiltonianCommand.class,
      ScaleCommand.class
    })
public final class Main {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int WRONG_USE = 2;

  @Spec private @Nullable CommandSpec spec;

  /** Runs one simulation and ends the process. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    Version.addTo(commandLine);
    commandLine.setParameterExceptionHandler(
        (wrong, args) -> {
          CommandLine command = wrong.getCommandLine();
          String name = command.getCommandSpec().qualifiedName();
          command.getErr().printf("%s: %s; see '%s --help'%n", name, wrong.getMessage(), name);
          return WRONG_USE;
        });
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getErr().println(command.getCommandName() + ": " + failure);
          return FAILED;
        });
    return commandLine;
  }

  @Command(name = "list", description = "Lists the simulations and what each shows.")
  int list() {
    if (spec != null) {
      spec.subcommands()
          .forEach(
              (name, command) -> {
                String[] text = command.getCommandSpec().usageMessage().description();
                if (!name.equals("list")) {
                  System.out.printf("%-13s%s%n", name, String.join(" ", text));
                }
              });
    }
    return DONE;
  }
}
