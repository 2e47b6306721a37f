package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Server;
import io.malob.algorithm.server.LeastConnections;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The servers at one switch: any client has the same distance to all of them, and LC chooses among
 * them. Thread-safe.
 */
final class Site {
  private final DatapathId switchId;
  private final ImmutableList<Server> servers;
  private final LeastConnections picker;
  private volatile double share;

  Site(DatapathId switchId, ImmutableList<Server> servers, Counting counting) {
    this.switchId = switchId;
    this.servers = servers;
    this.picker = new LeastConnections(servers, counting);
    sharesChanged();
  }

  /** The largest share of its servers; LC handles the others. */
  double share() {
    return share;
  }

  void sharesChanged() {
    double max = 0;
    for (Server server : servers) {
      max = Math.max(max, server.load().share());
    }
    share = max;
  }

  DatapathId switchId() {
    return switchId;
  }

  /** The next server for a request. */
  Server next(Request request) {
    return servers.get(picker.next(request.profile()));
  }

  /** Takes the server whose turn it is, or else an acceptable one; null if none is. */
  @Nullable Server pick(Request request) {
    return acceptable(picker.pick(request.profile()), request.acceptable());
  }

  /** The next result of {@link #pick}; takes no turn. */
  @Nullable Server wouldPick(Request request) {
    return acceptable(picker.next(request.profile()), request.acceptable());
  }

  /** The server of that index, or the next one behind it that is acceptable. */
  private @Nullable Server acceptable(int first, Predicate<Server> acceptable) {
    for (int tried = 0; tried < servers.size(); tried++) {
      Server server = servers.get((first + tried) % servers.size());
      if (acceptable.test(server)) {
        return server;
      }
    }
    return null;
  }

  void loadChanged(Server server) {
    picker.loadChanged(server);
  }
}
