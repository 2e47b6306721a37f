package io.malob.module;

/** What a message between controllers is about. The numbers are part of the protocol. */
public enum PeerTopic {
  /** Hosts and where they are attached. */
  HOSTS(1),
  /** Connections and labels. */
  CONNECTIONS(2),
  /** Measurements of links. */
  MEASUREMENTS(3),
  /** Packet-ins for another controller. */
  PACKETS(4),
  /** OpenFlow messages for switches that have another master. */
  RULES(5),
  /** Verdicts of health checks, and ejected members. */
  HEALTH(6),
  /** Packet-ins and ends of rules that concern a connection of another controller. */
  MESSAGES(7),
  /** Reports of agents. */
  REPORTS(8),
  /** What switches can do. */
  CAPABILITIES(9),
  /** Connections to servers themselves, past the balancer. */
  ORDINARY(10);

  private final int number;

  PeerTopic(int number) {
    this.number = number;
  }

  /** Whether much of it may wait at a time, and none of it is urgent. */
  public boolean isBulk() {
    return this == CONNECTIONS;
  }

  /** The number of the topic in frames: one byte. */
  public int number() {
    return number;
  }
}
