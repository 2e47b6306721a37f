package io.malob.bench.load;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A network of client edges and member edges around one switch, as numbers. Switch 0 is in the
 * middle; then come the edges of clients, then those of members. IPv4 and MAC addresses are whole
 * numbers. Immutable.
 *
 * @param clientEdges how many switches have clients
 * @param clients how many clients each of them has
 * @param memberEdges how many other switches have members
 * @param members how many members there are, spread evenly
 */
public record StarScenario(int clientEdges, int clients, int memberEdges, int members) {
  /** The address of the VIP. */
  public static final int VIP = 0xc612_0001; // 198.18.0.1

  private static final int CENTRE = 0;
  private static final int MAX_EDGES = 10_000;
  private static final int MAX_HOSTS = 10_000;
  private static final int CLIENTS_BASE = 0x0a00_0001; // 10.0.0.1
  private static final int MEMBERS_BASE = 0xac10_0001; // 172.16.0.1
  private static final long CLIENT_MACS = 0x0200_0000_0000L;
  private static final long MEMBER_MACS = 0x0201_0000_0000L;
  private static final int UPLINK = 60_001;

  /**
   * A host.
   *
   * @param sw its switch
   * @param port the switch's port
   */
  record Host(int sw, int port, int address, long mac) {}

  /**
   * A network of that size.
   *
   * @throws IllegalArgumentException naming the number that is out of bounds
   */
  public StarScenario {
    check("edges", clientEdges, MAX_EDGES);
    check("member-edges", memberEdges, MAX_EDGES);
    check("clients", clients, MAX_HOSTS / clientEdges);
    check("members", members, MAX_HOSTS);
  }

  private static void check(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          String.format("--%s must be from 1 to %d, not %d", name, max, value));
    }
  }

  /** The total number of switches. */
  public int switches() {
    return 1 + clientEdges + memberEdges;
  }

  /** The total number of directed links. */
  public int links() {
    return 2 * (clientEdges + memberEdges);
  }

  /** The switches with clients. */
  public List<Integer> clientSwitches() {
    return IntStream.rangeClosed(1, clientEdges).boxed().toList();
  }

  /** The switches with members. */
  public List<Integer> memberSwitches() {
    return IntStream.range(1 + clientEdges, switches()).boxed().toList();
  }

  /** How many members a switch has. */
  public int membersAt(int sw) {
    return (int) IntStream.range(0, members).filter(each -> member(each).sw == sw).count();
  }

  Host client(int number) {
    return new Host(
        1 + number / clients,
        1 + number % clients,
        CLIENTS_BASE + number,
        CLIENT_MACS + number + 1);
  }

  Host member(int number) {
    return new Host(
        1 + clientEdges + number % memberEdges,
        1 + number / memberEdges,
        memberAddress(number),
        MEMBER_MACS + number + 1);
  }

  /** The address of a member. */
  public int memberAddress(int number) {
    return MEMBERS_BASE + number;
  }

  /** All hosts. */
  List<Host> hosts() {
    return IntStream.concat(
            IntStream.range(0, clientEdges * clients),
            IntStream.range(0, members).map(each -> -1 - each))
        .mapToObj(each -> each >= 0 ? client(each) : member(-1 - each))
        .toList();
  }

  /** The numbers of all ports of a switch. */
  List<Integer> ports(int sw) {
    if (sw == CENTRE) {
      return IntStream.range(1, switches()).boxed().toList();
    }
    int hosts = sw <= clientEdges ? clients : membersAt(sw);
    return IntStream.concat(IntStream.rangeClosed(1, hosts), IntStream.of(UPLINK)).boxed().toList();
  }

  /** The other end of a link, as switch and port; null if a host or nothing is behind the port. */
  int @org.jspecify.annotations.Nullable [] otherEnd(int sw, int port) {
    if (sw == CENTRE) {
      return port > CENTRE && port < switches() ? new int[] {port, UPLINK} : null;
    }
    return port == UPLINK ? new int[] {CENTRE, sw} : null;
  }
}
