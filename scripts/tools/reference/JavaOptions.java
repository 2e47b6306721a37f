import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Prints the commands that are Java with their options: JavaOptions 'COMMAND=CLASS'... (called by java_options.py). */
public final class JavaOptions {
  private JavaOptions() {}

  public static void main(String[] commands) throws ClassNotFoundException {
    for (String command : commands) {
      String[] parts = command.split("=");
      print(parts[0], new CommandLine(Class.forName(parts[1])).getCommandSpec());
    }
  }

  private static void print(String name, CommandSpec command) {
    line(name, "", "", command.usageMessage().description());
    for (PositionalParamSpec argument : command.positionalParameters()) {
      line(name, "", argument.paramLabel(), argument.description());
    }
    for (OptionSpec option : command.options()) {
      if (!option.usageHelp() && !option.versionHelp() && !option.hidden()) {
        line(name, String.join(" ", option.names()), label(option), option.description());
      }
    }
    command
        .subcommands()
        .forEach(
            (child, line) -> {
              if (!line.getCommandSpec().usageMessage().hidden()) {
                print(name + " " + child, line.getCommandSpec());
              }
            });
  }

  private static String label(ArgSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    return option.paramLabel() + (option.isMultiValue() ? "..." : "");
  }

  private static void line(String command, String names, String label, String[] description) {
    System.out.println(String.join("\t", List.of(command, names, label, String.join(" ", description))));
  }
}
