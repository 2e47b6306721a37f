package io.malob.controller;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;

/** MALOB's version, from the manifest of its jar. */
public final class Version implements IVersionProvider {
  /** For picocli. */
  public Version() {}

  @Override
  public String[] getVersion() {
    @Nullable String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"MALOB " + (version == null ? "from classes without a jar" : version)};
  }

  /** Makes a program and its subcommands print the version. */
  public static void addTo(CommandLine program) {
    program.getCommandSpec().versionProvider(new Version());
    program.getSubcommands().values().forEach(Version::addTo);
  }
}
