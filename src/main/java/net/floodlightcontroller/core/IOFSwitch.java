package net.floodlightcontroller.core;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.Date;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFCapabilities;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** A connected switch. */
public interface IOFSwitch extends IOFMessageWriter {
  /** The state of the switch between handshake and disconnection. */
  SwitchStatus getStatus();

  /** How many packets the switch can buffer. */
  long getBuffers();

  /** Closes the connection. */
  void disconnect();

  /** The capabilities of the switch. */
  Set<OFCapabilities> getCapabilities();

  /** Maker, hardware and software of the switch. */
  SwitchDescription getSwitchDescription();

  /** The remote address of the connection. */
  SocketAddress getInetAddress();

  /** The numbers of the ports that are up. */
  Collection<OFPort> getEnabledPortNumbers();

  /** The port of that number, or null. */
  OFPortDesc getPort(OFPort port);

  /** The port of that name (in any case), or null. */
  OFPortDesc getPort(String name);

  /** All ports. */
  Collection<OFPortDesc> getPorts();

  /** All ports, by number. */
  Collection<OFPortDesc> getSortedPorts();

  /** Whether there is such a port and it is up. */
  boolean portEnabled(OFPort port);

  /** Whether there is a port of that name and it is up. */
  boolean portEnabled(String name);

  /** Whether the connection is open. */
  boolean isConnected();

  /** When the connection was made. */
  Date getConnectedSince();

  /** The datapath id. */
  DatapathId getId();

  /** Whether the switch is connected and this controller is its master. */
  boolean isActive();

  /** This controller's role at the switch. */
  OFControllerRole getControllerRole();

  /** The factory for messages of the switch's OpenFlow version. */
  OFFactory getOFFactory();

  /** How many tables the switch has. */
  short getNumTables();

  /** The latest one-way latency of the control channel, in milliseconds. */
  U64 getLatency();

  /** The state of a switch between handshake and disconnection. */
  enum SwitchStatus {
    SLAVE,
    MASTER,
    DISCONNECTED;

    /** Whether modules may change the switch. */
    public boolean isControllable() {
      return this == MASTER;
    }
  }
}
