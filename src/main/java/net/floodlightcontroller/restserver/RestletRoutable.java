package net.floodlightcontroller.restserver;

import org.restlet.Context;
import org.restlet.Restlet;

/** A set of resources under one base path. */
public interface RestletRoutable {
  /** The router of these resources. */
  Restlet getRestlet(Context context);

  /** The path that all of them start with. */
  String basePath();
}
