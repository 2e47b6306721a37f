package io.malob.module;

import com.google.common.collect.ImmutableSet;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * One stream of messages to each other live controller of the cluster. Without a cluster there is
 * no peer, and nothing is sent. Real Floodlight does not have this service.
 *
 * <p>Thread-safe. Nothing blocks.
 */
public interface IPeerService extends IFloodlightService {
  /** The max size of a message in bytes. */
  int MAX_MESSAGE = 1 << 20;

  /** Receives the messages of a topic. To be called by a module's {@code init}, once per topic. */
  void listen(PeerTopic topic, PeerListener listener);

  /**
   * Sends a message to a peer; messages to one peer arrive in the order in which they were sent.
   *
   * @param message at most {@link #MAX_MESSAGE} bytes, not changed afterwards
   * @return false if there is no stream to the peer, or too much waits for it: nothing is sent then
   */
  boolean send(String peer, PeerTopic topic, byte[] message);

  /** The controllers to which messages can be sent at present, by name. */
  ImmutableSet<String> reached();

  /** What the streams have carried, for metrics. */
  default PeerTraffic traffic() {
    return PeerTraffic.NONE;
  }
}
