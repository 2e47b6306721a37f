package io.malob.controller.rest;

import io.malob.controller.guard.RefusalCounts;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ServerResource;

/** How often something from the network was refused, by reason. */
public final class RefusedResource extends ServerResource {

  /** {@code {"probe_forged": 0, …}}. */
  @Get
  public Representation refused() {
    Object service = getContext().getAttributes().get(RefusalCounts.class.getCanonicalName());
    if (!(service instanceof RefusalCounts counts)) {
      throw new IllegalStateException("no counts in the context");
    }
    return Json.of(counts.byLabel());
  }
}
