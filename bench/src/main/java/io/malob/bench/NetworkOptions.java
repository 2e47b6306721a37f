package io.malob.bench;

import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Scenario;
import java.util.List;
import picocli.CommandLine.Option;

/** The size of the emulated network, as options. */
final class NetworkOptions {
  static final String IPV6 = "--ipv6";

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
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "0",
      description = "Further hosts of each site, which open no connections (${DEFAULT-VALUE}).")
  private int hosts;

  @Option(
      names = IPV6,
      description = "IPv6 addresses for clients, members and VIPs; without it, IPv4.")
  private boolean ipv6;

  Scenario scenario() {
    AddressFamily family = ipv6 ? AddressFamily.IPV6 : AddressFamily.IPV4;
    return scenario(sites, pathLength, members, clients, hosts, family);
  }

  /** A scenario with IPv4. */
  static Scenario scenario(int sites, int pathLength, int members, int clients, int hosts) {
    return scenario(sites, pathLength, members, clients, hosts, AddressFamily.IPV4);
  }

  private static Scenario scenario(
      int sites, int pathLength, int members, int clients, int hosts, AddressFamily family) {
    try {
      return new Scenario(sites, pathLength, members, clients, hosts, family);
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
        "--hosts=" + scenario.hosts(),
        IPV6 + "=" + (scenario.family() == AddressFamily.IPV6));
  }
}
