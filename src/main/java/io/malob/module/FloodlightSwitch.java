package io.malob.module;

import com.google.common.collect.Iterables;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.openflow.RuleSender;
import java.util.Optional;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/** A switch of the controller, adapted for the flow ruleSender. */
public record FloodlightSwitch(IOFSwitch sw) implements RuleSender.SwitchConnection {

  /** The switch of that id; empty if it is not connected or this controller is not its master. */
  public static Optional<RuleSender.SwitchConnection> active(
      IOFSwitchService switches, DatapathId switchId) {
    return Optional.ofNullable(switches.getActiveSwitch(switchId)).map(FloodlightSwitch::new);
  }

  /**
   * The same, or a switch whose master is another controller that messages reach.
   *
   * @param relay null without a cluster
   */
  public static Optional<RuleSender.SwitchConnection> anywhere(
      IOFSwitchService switches, @Nullable IRelayService relay, DatapathId switchId) {
    Optional<RuleSender.SwitchConnection> own = active(switches, switchId);
    return own.isPresent() || relay == null ? own : relay.find(switchId);
  }

  @Override
  public OFFactory factory() {
    return sw.getOFFactory();
  }

  @Override
  public boolean write(Iterable<OFMessage> messages) {
    return Iterables.isEmpty(sw.write(messages));
  }

  @Override
  public ListenableFuture<?> barrier() {
    return sw.writeRequest(sw.getOFFactory().barrierRequest());
  }
}
