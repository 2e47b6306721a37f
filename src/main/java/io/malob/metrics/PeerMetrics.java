package io.malob.metrics;

import io.malob.module.IPeerService;
import io.malob.module.PeerTraffic;

/** Metrics of the streams to the other controllers of a cluster. */
final class PeerMetrics {
  private final IPeerService peers;

  PeerMetrics(IPeerService peers) {
    this.peers = peers;
  }

  void addTo(Samples samples) {
    PeerTraffic traffic = peers.traffic();
    samples.add(Metric.PEERS, peers.reached().size());
    samples.add(Metric.PEER_MESSAGES, traffic.sentMessages(), "sent");
    samples.add(Metric.PEER_MESSAGES, traffic.receivedMessages(), "received");
    samples.add(Metric.PEER_DAMAGED, traffic.damagedMessages());
    samples.add(Metric.PEER_BYTES, traffic.sentBytes(), "sent");
    samples.add(Metric.PEER_BYTES, traffic.receivedBytes(), "received");
    samples.add(Metric.PEER_QUEUE, traffic.waitingBytes());
  }
}
