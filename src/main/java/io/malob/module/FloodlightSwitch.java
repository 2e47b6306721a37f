package io.malob.module;

import com.google.common.collect.Iterables;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.openflow.FlowProgrammer;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** A switch of the controller, as the flow programmer wants it. */
public record FloodlightSwitch(IOFSwitch sw) implements FlowProgrammer.SwitchConnection {

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
