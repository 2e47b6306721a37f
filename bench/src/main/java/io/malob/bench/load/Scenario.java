package io.malob.bench.load;

import java.util.ArrayList;
import java.util.List;

/**
 * The emulated network, as numbers. It has one or more sites that are not connected with each
 * other. A site is a chain of switches with clients on the first and members of the site's own VIP
 * on the last; with a chain of one, both are on the same switch. Switches are counted through all
 * sites; IP and MAC addresses are whole numbers. Immutable.
 *
 * @param sites how many sites
 * @param pathLength how many switches each has
 * @param members how many members each has
 * @param clients how many clients each has
 * @param addresses how many client addresses each has; those that are no client's own are behind
 *     clients, which are routers then
 * @param hosts how many further hosts each has, which only announce themselves
 * @param family the family of all IP addresses
 */
public record Scenario(
    int sites,
    int pathLength,
    int members,
    int clients,
    int addresses,
    int hosts,
    AddressFamily family) {
  /** The TCP port of each VIP. */
  public static final int VIP_TCP_PORT = 80;

  /** The TCP port of each member. */
  public static final int MEMBER_TCP_PORT = 8080;

  /** The switch port to the next switch of the chain. */
  public static final int TO_NEXT = 60_001;

  /** The switch port to the previous switch of the chain. */
  public static final int TO_PREVIOUS = 60_002;

  /** The lowest source port of connections. */
  static final int FIRST_SOURCE_PORT = 1_024;

  static final int SOURCE_PORTS = 0x10000 - FIRST_SOURCE_PORT;

  /** The longest chain of switches that a site can have. */
  public static final int MAX_PATH_LENGTH = 100;

  private static final int MAX_SITES = 1_000;
  private static final int MAX_MEMBERS = 1_000;
  private static final int MAX_CLIENTS = 16_000;
  private static final int MAX_ADDRESSES_OF_ONE_SITE = 2_000_000;
  private static final int CLIENTS_BASE = 0x0a00_0001; // 10.0.0.1
  private static final int CLIENTS_PER_SITE = 0x4000;
  private static final int MEMBERS_BASE = 0xac10_0001; // 172.16.0.1
  private static final int MEMBERS_PER_SITE = 0x400;
  private static final int HOSTS_BASE = 0x6440_0001; // 100.64.0.1
  private static final int VIPS_BASE = 0xc612_0001; // 198.18.0.1
  private static final long CLIENT_MACS = 0x0200_0000_0000L;
  private static final long MEMBER_MACS = 0x0201_0000_0000L;
  private static final long HOST_MACS = 0x0202_0000_0000L;
  private static final int CLIENT_PORTS = 16;
  private static final int FIRST_MEMBER_PORT = 101;
  private static final int MEMBER_PORTS = 48;

  /**
   * A network of that size.
   *
   * @throws IllegalArgumentException naming the number that is out of bounds
   */
  public Scenario {
    check("switches", sites, 1, MAX_SITES);
    check("path-length", pathLength, 1, MAX_PATH_LENGTH);
    check("members", members, 1, MAX_MEMBERS);
    check("clients", clients, 1, MAX_CLIENTS);
    check("addresses", addresses, clients, sites == 1 ? MAX_ADDRESSES_OF_ONE_SITE : MAX_CLIENTS);
    check("hosts", hosts, 0, 1_000_000 / sites);
  }

  /** A network whose clients have no addresses behind them. */
  public Scenario(
      int sites, int pathLength, int members, int clients, int hosts, AddressFamily family) {
    this(sites, pathLength, members, clients, clients, hosts, family);
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          String.format("--%s must be from %d to %d, not %d", name, min, max, value));
    }
  }

  /** The total number of switches. */
  public int switches() {
    return sites * pathLength;
  }

  /** The datapath id of a switch. */
  public long datapathId(int sw) {
    return sw + 1L;
  }

  /** The switch of that datapath id. */
  public int switchOf(long datapathId) {
    return (int) datapathId - 1;
  }

  /** The site of a switch. */
  public int siteOf(int sw) {
    return sw / pathLength;
  }

  /** The switch of a site's clients. */
  public int clientEdge(int site) {
    return site * pathLength;
  }

  /** The switch of a site's members. */
  public int memberEdge(int site) {
    return site * pathLength + pathLength - 1;
  }

  /** The address of a site's VIP. */
  public int vip(int site) {
    return VIPS_BASE + site;
  }

  /** The address of a member. */
  public int member(int site, int member) {
    return MEMBERS_BASE + site * MEMBERS_PER_SITE + member;
  }

  /** The MAC address of a member. */
  public long memberMac(int site, int member) {
    return MEMBER_MACS + site * (long) MEMBERS_PER_SITE + member + 1;
  }

  /** The port that a member is behind, at its edge. */
  public int memberPort(int member) {
    return FIRST_MEMBER_PORT + member % MEMBER_PORTS;
  }

  /** The address of a client, or one behind it. */
  public int client(int site, int client) {
    return CLIENTS_BASE + site * CLIENTS_PER_SITE + client;
  }

  /** The MAC address of a client, or of the router that it is behind. */
  public long clientMac(int site, int client) {
    return CLIENT_MACS + site * (long) CLIENTS_PER_SITE + client % clients + 1;
  }

  /** The port that a client is behind, at its edge. */
  public int clientPort(int client) {
    return 1 + client % clients % CLIENT_PORTS;
  }

  int host(int site, int host) {
    return HOSTS_BASE + site * hosts + host;
  }

  long hostMac(int site, int host) {
    return HOST_MACS + site * (long) hosts + host + 1;
  }

  /** The numbers of all ports of a switch. */
  public List<Integer> ports(int sw) {
    List<Integer> ports = new ArrayList<>();
    int site = siteOf(sw);
    if (sw == clientEdge(site)) {
      for (int port = 1; port <= Math.min(clients, CLIENT_PORTS); port++) {
        ports.add(port);
      }
    } else {
      ports.add(TO_PREVIOUS);
    }
    if (sw == memberEdge(site)) {
      for (int port = 0; port < Math.min(members, MEMBER_PORTS); port++) {
        ports.add(FIRST_MEMBER_PORT + port);
      }
    } else {
      ports.add(TO_NEXT);
    }
    return ports;
  }

  /** An address as text. */
  public String text(int address) {
    return family.text(address);
  }
}
