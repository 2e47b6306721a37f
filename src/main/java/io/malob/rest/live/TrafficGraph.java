package io.malob.rest.live;

import java.util.Locale;

/** The graphs of traffic: each has several lines, by the ids of what they are about. */
enum TrafficGraph {
  /** Connections that got a server, per second, by id of the service. */
  REQUESTS_BY_SERVICE,
  /** The same by name of the algorithm. */
  REQUESTS_BY_ALGORITHM,
  /** The same by id of the VIP. */
  REQUESTS_BY_VIP,
  /** The same by id of the member. */
  REQUESTS_BY_SERVER,
  /** The learned time at the server, by VIP and service: {@code VIP/SERVICE}. */
  SERVER_MS_BY_SERVICE,
  /** The same by name of the algorithm. */
  SERVER_MS_BY_ALGORITHM,
  /** The number of connections: {@code open}, {@code ended} (with rules) and {@code dormant}. */
  CONNECTIONS,
  /** Rejected packets per second, by reason. */
  REJECTIONS;

  /** The published name. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
