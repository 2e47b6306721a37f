package io.malob.balancer.reroute;

import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.label.LabelledPath;

/**
 * One direction of a connection that carries much for long.
 *
 * @param route the paths that it was on when that was found
 * @param isReply whether it is that from the member to the client
 * @param bps what it carried lately, in bit/s
 */
record LongFlow(Connection connection, Route route, boolean isReply, double bps) {

  LabelledPath labelled() {
    return isReply ? route.reply() : route.request();
  }

  Path path() {
    return labelled().path();
  }

  /** The same connection with this direction over another path. */
  Route over(LabelledPath other) {
    return isReply ? new Route(route.request(), other) : new Route(other, route.reply());
  }
}
