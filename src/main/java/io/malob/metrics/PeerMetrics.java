package io.malob.metrics;

import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.IRelayService.RelayCounts;
import io.malob.module.PeerTraffic;

/**
 * Metrics of the streams to the other controllers of a cluster, and of what is relayed over them.
 */
record PeerMetrics(IPeerService peers, IRelayService relay) {
  void addTo(Samples samples) {
    PeerTraffic traffic = peers.traffic();
    samples.add(Metric.PEERS, peers.reached().size());
    samples.add(Metric.PEER_MESSAGES, traffic.sentMessages(), "sent");
    samples.add(Metric.PEER_MESSAGES, traffic.receivedMessages(), "received");
    samples.add(Metric.PEER_DAMAGED, traffic.damagedMessages());
    samples.add(Metric.PEER_BYTES, traffic.sentBytes(), "sent");
    samples.add(Metric.PEER_BYTES, traffic.receivedBytes(), "received");
    samples.add(Metric.PEER_QUEUE_BYTES, traffic.waitingBytes());
    RelayCounts counts = relay.counts();
    samples.add(Metric.RELAYED_BATCHES, counts.sent(), "sent", "done");
    samples.add(Metric.RELAYED_BATCHES, counts.unsent(), "sent", "failed");
    samples.add(Metric.RELAYED_BATCHES, counts.written(), "received", "done");
    samples.add(Metric.RELAYED_BATCHES, counts.refused(), "received", "failed");
    samples.add(Metric.RELAYED_ERRORS, counts.errors());
  }
}
