package io.malob.capability;

import org.projectfloodlight.openflow.types.DatapathId;

/** Tells what switches can do, as if they had been probed. */
public final class KnownFeatures {
  private KnownFeatures() {}

  /** A switch has shown that it tracks connections. */
  public static void tracks(FeatureProbes features, DatapathId switchId) {
    features.accepted(switchId, SwitchFeature.CONNECTION_TRACKING);
  }
}
