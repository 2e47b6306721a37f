package net.floodlightcontroller.core;

import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;

/** Receives messages of switches, on the thread that read them: it must not block. */
public interface IOFMessageListener extends IListener<OFType> {
  /** Handles one message; the context is shared by all listeners of this message. */
  IListener.Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context);
}
