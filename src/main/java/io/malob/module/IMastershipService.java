package io.malob.module;

import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Decides how the roles at switches are obtained. Only the embedded controller has this service,
 * not real Floodlight.
 */
public interface IMastershipService extends IFloodlightService {
  /**
   * The exit status by which a module asks {@code IShutdownService} for a controller that starts
   * anew, in the same process.
   */
  int START_ANEW = 75;

  /**
   * Lets a cluster's election decide: new connections are slaves until it requests more. Without
   * this call, the controller claims each switch that connects. To be called before switches may
   * connect, by a module's {@code startUp} at the latest.
   */
  void decideBy(Mastership mastership);

  /** The cluster's election, as soon as a module has called {@link #decideBy}. */
  CompletableFuture<Mastership> election();
}
