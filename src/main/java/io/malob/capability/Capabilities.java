package io.malob.capability;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.module.NanoTicker;
import io.malob.openflow.TableLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The capabilities of all known switches: of this controller's own switches by its settings or by
 * probes, of others from their masters. Thread-safe; nothing blocks.
 */
final class Capabilities {
  private static final Logger LOG = LoggerFactory.getLogger(Capabilities.class);

  /** The max number of switches whose results are kept, of own ones and of others'. */
  private static final int MAX_KEPT = 10_000;

  /** An operator may have changed the switch by then. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  private final SwitchProber prober;
  private final TrackingProber tracking;
  private final ImmutableMap<DatapathId, TableLayout> forced;

  /** Is told of each new capability of an own switch. */
  private final BiConsumer<DatapathId, KnownCapability> listener;

  /** Of own switches, and of those that were asked for before they were. */
  private final Map<DatapathId, Own> own = new ConcurrentHashMap<>();

  /** Results of probes, for switches that connect again. */
  private final Cache<DatapathId, KnownCapability> probed;

  /** What masters of other switches have told. */
  private final Cache<DatapathId, KnownCapability> ofPeers;

  /** One connection of a switch. */
  private static final class Own {
    final CompletableFuture<KnownCapability> future = new CompletableFuture<>();

    /** The same with an answer about the tracking of connections; null until there is one. */
    volatile @Nullable KnownCapability complete;

    /** Whether the switch has become active. */
    final AtomicBoolean isActive = new AtomicBoolean();

    @Nullable KnownCapability known() {
      @Nullable KnownCapability known = complete;
      return known == null ? future.getNow(null) : known;
    }
  }

  Capabilities(
      SwitchProber prober,
      TrackingProber tracking,
      ImmutableMap<DatapathId, TableLayout> forced,
      LongSupplier nanoTime,
      BiConsumer<DatapathId, KnownCapability> listener) {
    this.prober = prober;
    this.tracking = tracking;
    this.forced = forced;
    this.listener = listener;
    probed =
        CacheBuilder.newBuilder()
            .maximumSize(MAX_KEPT)
            .expireAfterWrite(KEPT)
            .ticker(new NanoTicker(nanoTime))
            .build();
    ofPeers = CacheBuilder.newBuilder().maximumSize(MAX_KEPT).build();
  }

  /** This controller has become master of a switch. */
  void activated(IOFSwitch sw) {
    DatapathId switchId = sw.getId();
    Own connection = connection(switchId);
    if (connection.isActive.getAndSet(true)) {
      return;
    }
    SwitchIdentity identity = SwitchIdentity.of(sw);
    @Nullable TableLayout layout = forced.get(switchId);
    if (layout != null) {
      known(sw, connection, identity, SwitchCapability.forced(layout));
      return;
    }
    @Nullable KnownCapability before = remembered(switchId, identity);
    if (before != null) {
      known(sw, connection, identity, before.capability());
      return;
    }
    CompletableFuture<Void> unused =
        prober
            .probe(sw)
            .thenAccept(refused -> known(sw, connection, identity, capability(identity, refused)));
  }

  private @Nullable KnownCapability remembered(DatapathId switchId, SwitchIdentity identity) {
    for (Cache<DatapathId, KnownCapability> each : List.of(probed, ofPeers)) {
      @Nullable KnownCapability found = each.getIfPresent(switchId);
      if (found != null && found.identity().equals(identity) && found.capability().isProbed()) {
        return found;
      }
    }
    return null;
  }

  private static SwitchCapability capability(
      SwitchIdentity identity, Optional<ImmutableSet<SwitchFeature>> refused) {
    return refused
        .map(SwitchCapability::probed)
        .orElseGet(() -> SwitchCapability.assumed(identity.tables()));
  }

  private void known(
      IOFSwitch sw, Own connection, SwitchIdentity identity, SwitchCapability capability) {
    DatapathId switchId = sw.getId();
    if (own.get(switchId) != connection) {
      return; // it has disconnected meanwhile
    }
    KnownCapability known = new KnownCapability(identity, capability);
    if (capability.isProbed()) {
      probed.put(switchId, known);
    }
    log(switchId, known);
    if (connection.future.complete(known)) {
      listener.accept(switchId, known);
      if (capability.isProbed() && capability.tracking() == Answer.PENDING) {
        CompletableFuture<Void> unused =
            tracking.probe(sw).thenAccept(answer -> tracks(switchId, connection, known, answer));
      }
    }
  }

  private void tracks(DatapathId switchId, Own connection, KnownCapability before, Answer answer) {
    if (answer == Answer.PENDING || own.get(switchId) != connection) {
      return; // it has disconnected meanwhile, or this controller is its slave
    }
    KnownCapability known =
        new KnownCapability(before.identity(), before.capability().withTracking(answer));
    connection.complete = known;
    probed.put(switchId, known);
    listener.accept(switchId, known);
  }

  private static void log(DatapathId switchId, KnownCapability known) {
    SwitchCapability capability = known.capability();
    TableLayout layout = capability.layout();
    if (capability.source() == SwitchCapability.Source.ASSUMED) {
      LOG.warn(
          "switch_layout_assumed switch={} layout={} tables={} - it has not answered which rules it"
              + " accepts",
          switchId,
          layout.text(),
          known.identity().tables());
    } else if (layout != TableLayout.FOUR_TABLES) {
      LOG.info(
          "switch_layout switch={} layout={} role={} why=\"{}\"",
          switchId,
          layout.text(),
          capability.roleText(),
          why(capability));
    }
    if (layout.translates() && !capability.translatesIpv6()) {
      LOG.info("ipv6_not_translated switch={} - it has refused such a rule", switchId);
    }
  }

  private static String why(SwitchCapability capability) {
    return capability.source() == SwitchCapability.Source.FORCED
        ? "the setting layouts"
        : "refused " + texts(capability.refused());
  }

  /** A switch has told which features it claims to have. */
  void claimed(DatapathId switchId, Set<SwitchFeature> claimed) {
    @Nullable SwitchCapability known = of(switchId);
    if (known == null) {
      return;
    }
    Set<SwitchFeature> wrong = Sets.intersection(claimed, known.refused());
    if (!wrong.isEmpty()) {
      LOG.info(
          "capability_refused switch={} what=\"{}\" - it claims that, but refuses such rules",
          switchId,
          texts(wrong));
    }
  }

  private static String texts(Set<SwitchFeature> features) {
    return features.stream().map(SwitchFeature::text).collect(Collectors.joining(", "));
  }

  /** This controller is no longer master of a switch, or the switch has disconnected. */
  void deactivated(DatapathId switchId) {
    own.remove(switchId);
    prober.forget(switchId);
    tracking.forget(switchId);
  }

  /** The master of a switch has told its capability. */
  void learn(DatapathId switchId, KnownCapability capability) {
    ofPeers.put(switchId, capability);
  }

  /** The capabilities of this controller's switches, as far as they are known. */
  ImmutableSortedMap<DatapathId, KnownCapability> own() {
    ImmutableSortedMap.Builder<DatapathId, KnownCapability> all = ImmutableSortedMap.naturalOrder();
    own.forEach(
        (switchId, connection) -> {
          @Nullable KnownCapability known = connection.known();
          if (known != null) {
            all.put(switchId, known);
          }
        });
    return all.build();
  }

  /** The capabilities of all switches, as far as they are known. */
  ImmutableSortedMap<DatapathId, SwitchCapability> all() {
    Map<DatapathId, KnownCapability> known = new HashMap<>(ofPeers.asMap());
    known.putAll(own());
    return ImmutableSortedMap.copyOf(Maps.transformValues(known, KnownCapability::capability));
  }

  /** The capability of a switch, as far as it is known: its own, or else what was told of it. */
  @Nullable SwitchCapability of(DatapathId switchId) {
    @Nullable Own connection = own.get(switchId);
    @Nullable KnownCapability known = connection == null ? null : connection.known();
    if (known == null) {
      known = ofPeers.getIfPresent(switchId);
    }
    return known == null ? null : known.capability();
  }

  /** Completes when this controller knows the capability of a switch of which it is master. */
  CompletableFuture<TableLayout> whenKnown(DatapathId switchId) {
    return connection(switchId).future.thenApply(known -> known.capability().layout());
  }

  private Own connection(DatapathId switchId) {
    return own.computeIfAbsent(switchId, any -> new Own());
  }
}
