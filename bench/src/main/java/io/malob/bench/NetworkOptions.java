package io.malob.bench;

import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Scenario;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The size of the emulated network, as options. */
final class NetworkOptions {
  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "1",
      description = "Sites, each with clients, members and a VIP of its own (${DEFAULT-VALUE}).")
  private int sites;

  @Option(
      names = "--path-length",
      paramLabel = "N",
      defaultValue = "1",
      description = "Switches from the clients to the members of a site (${DEFAULT-VALUE}).")
  private int pathLength;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "3",
      description = "Members of each VIP (${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "16",
      description = "Clients of each VIP (${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--addresses",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Client addresses of each VIP; those beyond --clients are behind the clients, which are"
              + " routers then (as many as --clients).")
  private int addresses;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "0",
      description = "Further hosts of each site, which open no connections (${DEFAULT-VALUE}).")
  private int hosts;

  @Mixin private FamilyOption family = new FamilyOption();

  Scenario scenario() {
    return scenario(
        sites,
        pathLength,
        members,
        clients,
        addresses == 0 ? clients : addresses,
        hosts,
        family.chosen());
  }

  /** A scenario with IPv4. */
  static Scenario scenario(int sites, int pathLength, int members, int clients, int hosts) {
    return scenario(sites, pathLength, members, clients, clients, hosts, AddressFamily.IPV4);
  }

  static Scenario scenario(
      int sites,
      int pathLength,
      int members,
      int clients,
      int addresses,
      int hosts,
      AddressFamily family) {
    try {
      return new Scenario(sites, pathLength, members, clients, addresses, hosts, family);
    } catch (IllegalArgumentException e) {
      throw new WrongUseException(String.valueOf(e.getMessage()));
    }
  }

  /** The same options as arguments of another process. */
  static List<String> arguments(Scenario scenario) {
    return List.of(
        "--switches=" + scenario.sites(),
        "--path-length=" + scenario.pathLength(),
        "--members=" + scenario.members(),
        "--clients=" + scenario.clients(),
        "--addresses=" + scenario.addresses(),
        "--hosts=" + scenario.hosts(),
        FamilyOption.NAME + "=" + (scenario.family() == AddressFamily.IPV6));
  }
}
