package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import io.netty.channel.Channel;
import java.util.Collection;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.SwitchDescription;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFCapabilities;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * A switch that has finished its handshake. Safe for use by several threads. Writing follows the
 * rules of {@link SwitchConnection}: nothing blocks, and nothing is accepted while the switch does
 * not read.
 */
public final class OpenFlowSwitch extends SwitchConnection {
  private final OFFactory factory;
  private final OFFeaturesReply features;
  private final SwitchDescription description;
  private final SwitchPorts ports;
  private final EchoKeepAlive echo;
  private final long connectedSinceMillis = System.currentTimeMillis();
  private volatile OFControllerRole role = OFControllerRole.ROLE_EQUAL;
  private volatile boolean disconnected;

  OpenFlowSwitch(
      Channel channel,
      ChannelContext context,
      OFFactory factory,
      OFFeaturesReply features,
      SwitchDescription description,
      SwitchPorts ports,
      EchoKeepAlive echo) {
    super(channel, features.getDatapathId(), context.settings(), context.nanoTime());
    this.factory = factory;
    this.features = features;
    this.description = description;
    this.ports = ports;
    this.echo = echo;
  }

  SwitchPorts ports() {
    return ports;
  }

  /** Sets the role of this controller, from the switch. */
  void setRole(OFControllerRole role) {
    this.role = role;
  }

  void markDisconnected() {
    disconnected = true;
  }

  /** An equal controller can do what a master can: both are {@link SwitchStatus#MASTER}. */
  @Override
  public SwitchStatus getStatus() {
    if (disconnected) {
      return SwitchStatus.DISCONNECTED;
    }
    return role == OFControllerRole.ROLE_SLAVE ? SwitchStatus.SLAVE : SwitchStatus.MASTER;
  }

  @Override
  public long getBuffers() {
    return features.getNBuffers();
  }

  @Override
  public Set<OFCapabilities> getCapabilities() {
    return features.getCapabilities();
  }

  @Override
  public SwitchDescription getSwitchDescription() {
    return description;
  }

  @Override
  public Collection<OFPort> getEnabledPortNumbers() {
    return ports.all().values().stream()
        .filter(OFPortDesc::isEnabled)
        .map(OFPortDesc::getPortNo)
        .toList();
  }

  @Override
  public @Nullable OFPortDesc getPort(OFPort port) {
    return ports.all().get(port);
  }

  @Override
  public @Nullable OFPortDesc getPort(String name) {
    return ports.all().values().stream()
        .filter(port -> port.getName().equalsIgnoreCase(name))
        .findFirst()
        .orElse(null);
  }

  @Override
  public Collection<OFPortDesc> getPorts() {
    return ports.all().values();
  }

  @Override
  public Collection<OFPortDesc> getSortedPorts() {
    return ImmutableList.copyOf(ports.all().values());
  }

  @Override
  public boolean portEnabled(OFPort port) {
    return isEnabled(getPort(port));
  }

  @Override
  public boolean portEnabled(String name) {
    return isEnabled(getPort(name));
  }

  private static boolean isEnabled(@Nullable OFPortDesc port) {
    return port != null && port.isEnabled();
  }

  @Override
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  public Date getConnectedSince() {
    return new Date(connectedSinceMillis);
  }

  @Override
  public boolean isActive() {
    return isConnected() && getStatus().isControllable();
  }

  @Override
  public OFControllerRole getControllerRole() {
    return role;
  }

  @Override
  public OFFactory getOFFactory() {
    return factory;
  }

  @Override
  public short getNumTables() {
    return features.getNTables();
  }

  @Override
  public U64 getLatency() {
    return U64.of(TimeUnit.NANOSECONDS.toMillis(echo.roundTripNanos() / 2));
  }

  @Override
  public String toString() {
    return "switch " + getId() + " at " + getInetAddress();
  }
}
