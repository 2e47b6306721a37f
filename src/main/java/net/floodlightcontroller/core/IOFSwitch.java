package net.floodlightcontroller.core;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFActionType;
import org.projectfloodlight.openflow.protocol.OFCapabilities;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** A connected switch. */
public interface IOFSwitch extends IOFMessageWriter {
  /** The state of the switch between handshake and disconnection. */
  SwitchStatus getStatus();

  /** How many packets the switch can buffer. */
  long getBuffers();

  /** Closes the connection. */
  void disconnect();

  /** The actions that the switch supports (OpenFlow 1.0 only). */
  Set<OFActionType> getActions();

  /** The capabilities of the switch. */
  Set<OFCapabilities> getCapabilities();

  /** The ids of its tables. */
  Collection<TableId> getTables();

  /** Maker, hardware and software of the switch. */
  SwitchDescription getSwitchDescription();

  /** The remote address of the connection. */
  SocketAddress getInetAddress();

  /** The ports that are up. */
  Collection<OFPortDesc> getEnabledPorts();

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

  /** Notes that modules attach to a switch. */
  Map<Object, Object> getAttributes();

  /** Whether the switch is connected and this controller is its master. */
  boolean isActive();

  /** This controller's role at the switch. */
  OFControllerRole getControllerRole();

  /** Whether there is such a note. */
  boolean hasAttribute(String name);

  /** The note of that name, or null. */
  Object getAttribute(String name);

  /** Whether the note of that name has that value. */
  boolean attributeEquals(String name, Object value);

  /** Sets a note. */
  void setAttribute(String name, Object value);

  /** Removes a note and returns its value. */
  Object removeAttribute(String name);

  /** The factory for messages of the switch's OpenFlow version. */
  OFFactory getOFFactory();

  /** How many tables the switch has. */
  short getNumTables();

  /** The latest one-way latency of the control channel, in milliseconds. */
  U64 getLatency();

  /** The state of a switch between handshake and disconnection. */
  enum SwitchStatus {
    HANDSHAKE(false),
    SLAVE(true),
    MASTER(true),
    QUARANTINED(false),
    DISCONNECTED(false);

    private final boolean visible;

    SwitchStatus(boolean visible) {
      this.visible = visible;
    }

    /** Whether modules see the switch. */
    public boolean isVisible() {
      return visible;
    }

    /** Whether modules may change the switch. */
    public boolean isControllable() {
      return this == MASTER;
    }
  }
}
