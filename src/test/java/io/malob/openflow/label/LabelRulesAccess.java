package io.malob.openflow.label;

import io.malob.algorithm.graph.Path;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/** The rules of labels, for tests of other packages. */
public final class LabelRulesAccess {
  private LabelRulesAccess() {}

  /** The rule of one switch on a path. */
  public static OFMessage add(OFFactory factory, Label label, Path path, DatapathId switchId) {
    return LabelRules.add(factory, label, path, switchId);
  }
}
