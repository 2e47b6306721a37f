package io.malob.capability;

import io.malob.openflow.TableLayout;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** Knows what switches can do. Thread-safe. */
public interface ISwitchCapabilityService extends IFloodlightService {

  /** The layout of a switch's rules; null while it is unknown. */
  @Nullable TableLayout layout(DatapathId switchId);

  /**
   * Completes with the layout of a switch when it is known, at once if it is; to be called when the
   * switch has become active. It never completes if the switch disconnects before.
   */
  CompletableFuture<TableLayout> whenKnown(DatapathId switchId);
}
