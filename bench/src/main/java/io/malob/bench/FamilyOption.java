package io.malob.bench;

import io.malob.bench.load.AddressFamily;
import picocli.CommandLine.Option;

/** The family of the addresses of the emulated network, as an option. */
final class FamilyOption {
  static final String NAME = "--ipv6";

  @Option(
      names = NAME,
      description = "IPv6 addresses for clients, members and VIPs; without it, IPv4.")
  private boolean ipv6;

  AddressFamily chosen() {
    return ipv6 ? AddressFamily.IPV6 : AddressFamily.IPV4;
  }
}
