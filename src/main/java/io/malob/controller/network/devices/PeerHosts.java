package io.malob.controller.network.devices;

import io.malob.module.IPeerService;
import io.malob.module.InformedPeers;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Shares hosts with the other controllers of a cluster. A peer that is reached gets all hosts, and
 * changes from then on. What a peer has told is not told again. Of two controllers that know a host
 * differently, the one that has seen it last is right.
 *
 * <p>All state belongs to the writer of devices, an executor that runs one task at a time.
 */
final class PeerHosts implements PeerListener {
  /**
   * The max number of hosts in a message: with all their addresses, less than half of its max size.
   */
  private static final int BATCH = 1_000;

  private final InformedPeers peers;
  private final DeviceTable table;
  private final DeviceTracker tracker;
  private final DeviceLimits limits;
  private final LongSupplier millis;
  private final Executor writer;

  /** The hosts that have changed since the last message, by key. */
  private final Map<Long, Device> changed = new LinkedHashMap<>();

  /**
   * Hosts at ports where this controller knows of no host ports yet, with the time of a sighting.
   */
  private final Map<Long, Waiting> waiting = new HashMap<>();

  private long refreshedMillis;

  /** Whether the current changes come from a peer. */
  private boolean isTold;

  private record Waiting(PeerHost host, long seenMillis) {}

  PeerHosts(
      IPeerService peers,
      DeviceTable table,
      DeviceTracker tracker,
      DeviceLimits limits,
      LongSupplier millis,
      Executor writer) {
    this.peers = new InformedPeers(peers, PeerTopic.HOSTS);
    this.table = table;
    this.tracker = tracker;
    this.limits = limits;
    this.millis = millis;
    this.writer = writer;
    refreshedMillis = millis.getAsLong();
  }

  @Override
  public void reached(String peer) {
    writer.execute(
        () -> {
          peers.reached(peer);
          publishLate();
        });
  }

  @Override
  public void lost(String peer) {
    writer.execute(() -> peers.lost(peer));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    List<PeerHost> hosts = PeerHost.FORMAT.readAll(message);
    writer.execute(() -> hosts.forEach(this::learn));
  }

  /** A device has changed. */
  void changed(DeviceTracker.Change change, Device device) {
    if (!isTold && !peers.isEmpty()) {
      changed.put(device.getDeviceKey(), device);
    }
  }

  /** Tells of the changes since the last call; to be called several times a second. */
  void publishChanges() {
    if (!changed.isEmpty()) {
      peers.sendNew(messages(changed.values()));
      changed.clear();
    }
  }

  /** Tells all hosts to peers that could not take them; to be called about once a second. */
  void publishLate() {
    peers.sendAll(() -> messages(table.all()));
  }

  /** Tells of hosts that were only seen again, so that no peer takes them for silent. */
  void refresh() {
    for (Device device : table.all()) {
      if (device.wasSeenHere() && device.lastSeenMillis() >= refreshedMillis) {
        changed.put(device.getDeviceKey(), device);
      }
    }
    refreshedMillis = millis.getAsLong();
    publishChanges();
  }

  /** Hosts may be at further ports now. */
  void topologyChanged() {
    isTold = true;
    waiting.values().removeIf(each -> tracker.peerSaw(each.host(), each.seenMillis()));
    isTold = false;
  }

  /** Forgets what has waited for too long. */
  void removeSilent() {
    long oldest = millis.getAsLong() - limits.lifeMillis();
    waiting.values().removeIf(each -> each.seenMillis() < oldest);
  }

  private List<byte[]> messages(Iterable<Device> devices) {
    long now = millis.getAsLong();
    List<PeerHost> hosts = new ArrayList<>();
    for (Device device : devices) {
      boolean isGone = !device.equals(table.get(device.getDeviceKey()));
      if (isGone || device.facts().at() != null) {
        hosts.add(isGone ? PeerHost.gone(device, now) : PeerHost.of(device, now));
      }
    }
    return PeerHost.FORMAT.messages(hosts, BATCH);
  }

  private void learn(PeerHost host) {
    long seen = millis.getAsLong() - host.ageMillis();
    isTold = true;
    if (host.at() == null) {
      waiting.remove(host.key());
      tracker.peerLost(host, seen);
    } else if (tracker.peerSaw(host, seen)) {
      waiting.remove(host.key());
    } else if (waiting.size() < limits.maxDevices() || waiting.containsKey(host.key())) {
      waiting.put(host.key(), new Waiting(host, seen));
    }
    isTold = false;
  }
}
