package net.floodlightcontroller.restserver;

import net.floodlightcontroller.core.module.IFloodlightService;

/** The HTTP server: modules add their resources to it. */
public interface IRestApiService extends IFloodlightService {
  /** Adds resources under a base path; before the server runs. */
  void addRestletRoutable(RestletRoutable restletRoutable);

  /** Starts the server. */
  void run();
}
