package io.malob.balancer.reroute;

import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.label.LabelledPath;

/**
 * One direction of a connection that carries much traffic for a long time.
 *
 * @param route the connection's paths when the flow was found
 * @param isReply whether the direction is from the member to the client
 * @param bps its recent throughput in bit/s
 */
record LongFlow(Connection connection, Route route, boolean isReply, double bps) {

  LabelledPath labelled() {
    return isReply ? route.reply() : route.request();
  }

  Path path() {
    return labelled().path();
  }

  /** The connection's route with another path for this direction. */
  Route over(LabelledPath other) {
    return isReply ? new Route(route.request(), other) : new Route(other, route.reply());
  }
}
