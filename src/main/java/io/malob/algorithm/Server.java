package io.malob.algorithm;

/**
 * A server that can be chosen: a member of a pool whose place in the network is known.
 *
 * @param number the member's number in the catalog, unique and from 1 to 65535
 * @param address its IPv4 address
 * @param port where it listens, or 0 to keep the port that the client asked for
 * @param weight its share of connections relative to the others, at least 1
 * @param at where it is attached
 * @param load its connections; lives longer than this record
 */
public record Server(
    int number, int address, int port, int weight, Attachment at, ServerLoad load) {

  /** This server for connections that keep the port that they were opened to. */
  public Server keepingPorts() {
    return new Server(number, address, 0, weight, at, load);
  }
}
