package io.malob.balancer.proactive;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.Onward;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import org.jspecify.annotations.Nullable;

/**
 * A labelled path and, for requests, the member that it leads to. It holds one use of its label.
 *
 * @param server the member; null for the path of replies to clients of a switch
 * @param path the path
 */
record Lead(@Nullable Server server, LabelledPath path) {
  static Lead to(@Nullable Server server, Path path, LabelTable labels) {
    return new Lead(server, labels.acquire(path));
  }

  /** Whether it leads to a member, at the place where that is now. */
  boolean isTo(Server other) {
    return server != null
        && server.address() == other.address()
        && server.port() == other.port()
        && server.at().equals(other.at());
  }

  /** Whether packets may follow it. */
  boolean isReady() {
    return path.isReady();
  }

  /** Whether its label could not be installed. */
  boolean hasFailed() {
    return path.ready().isDone() && !path.isReady();
  }

  /** The label that packets get; null within one switch. */
  @Nullable Label label() {
    return path.path().hops() == 0 ? null : path.label();
  }

  /** Where packets for a next hop leave the switch: over the path or, within one, at its port. */
  Onward onward(Attachment nextHop) {
    Path now = path.path();
    return now.hops() == 0
        ? Onward.to(nextHop)
        : new Onward(path.label(), path.entry(), nextHop, now.firstPort());
  }

  /** Two leads are the same only if they are one object: its label is used once. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return path.hashCode();
  }
}
