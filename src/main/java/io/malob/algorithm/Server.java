package io.malob.algorithm;

/**
 * A server that can be chosen: a located member of a pool.
 *
 * @param number the member's number in the catalog, unique and from 1 to 65535
 * @param address the {@link AddressKey} of its address
 * @param port its port, or 0 to keep the client's destination port
 * @param weight its share of connections relative to the others, at least 1
 * @param at where it is attached
 * @param limit how many connections it may have, at least 1
 * @param load its connections; lives longer than this record
 */
public record Server(
    int number, int address, int port, int weight, Attachment at, int limit, ServerLoad load) {

  /** The value for no limit. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** A server that may have any number of connections. */
  public Server(int number, int address, int port, int weight, Attachment at, ServerLoad load) {
    this(number, address, port, weight, at, NO_LIMIT, load);
  }

  /**
   * This server for connections that keep the port that they were opened to. They belong to an
   * existing connection, so the limit does not apply.
   */
  public Server keepingPorts() {
    return new Server(number, address, 0, weight, at, load);
  }

  /** This server attached elsewhere. */
  public Server movedTo(Attachment place) {
    return new Server(number, address, port, weight, place, limit, load);
  }

  /** This server with another load, for a trial. */
  public Server withLoad(ServerLoad other) {
    return new Server(number, address, port, weight, at, limit, other);
  }

  /** Its weight, as far as it has come to its full share. */
  public double weightNow() {
    return weight * load.share();
  }

  /** Whether its connection limit, or this controller's part of that, is reached. */
  public boolean isFull() {
    return load.isFull(limit);
  }
}
