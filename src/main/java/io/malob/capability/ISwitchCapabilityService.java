package io.malob.capability;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.openflow.TableLayout;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Knows what switches can do, and how full their tables are. Thread-safe; nothing blocks.
 *
 * <p>A controller finds out itself about the switches of which it is master. In a cluster, it knows
 * about the others from their masters.
 */
public interface ISwitchCapabilityService extends IFloodlightService {
  /**
   * The name of the listener that takes the errors about probes. Others that take errors must come
   * after it.
   */
  String LISTENER = "malob-capability";

  /** The layout of a switch's rules; null while it is unknown. */
  @Nullable TableLayout layout(DatapathId switchId);

  /**
   * Completes with the layout of a switch when it is known, at once if it is; to be called when the
   * switch has become active. It never completes if the switch disconnects before, or this
   * controller is no longer its master. It completes on the calling thread if the layout is known,
   * else on the thread that has got the answer, which reads the switch's messages: what follows
   * must not block. After three seconds without an answer, it completes with an assumption.
   */
  CompletableFuture<TableLayout> whenKnown(DatapathId switchId);

  /** The capabilities of all switches about which they are known. */
  ImmutableSortedMap<DatapathId, SwitchCapability> capabilities();

  /** Which features switches have, and the probes that find it out. */
  FeatureProbes features();

  /** The zone in which switches track connections. */
  int trackedZone();

  /**
   * The tables with rules of the switches of which this controller is master, by switch and number
   * of the table; about ten seconds old. Switches that do not tell are missing.
   */
  ImmutableSortedMap<DatapathId, ImmutableSortedMap<Integer, TableUse>> tables();
}
