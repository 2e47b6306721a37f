package io.malob.controller.rest;

import java.util.Map;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ServerResource;

/** Says that the controller runs: it is served only when all modules are up. */
public final class HealthResource extends ServerResource {

  /** {@code {"healthy": true}}. */
  @Get
  public Representation health() {
    return Json.of(Map.of("healthy", true));
  }
}
