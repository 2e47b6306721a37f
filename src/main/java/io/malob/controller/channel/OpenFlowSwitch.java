package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ListenableFuture;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.SwitchDescription;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFActionType;
import org.projectfloodlight.openflow.protocol.OFCapabilities;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * A switch that has finished its handshake. Safe for use by several threads. Writing follows the
 * rules of {@link SwitchConnection}: nothing blocks, and nothing is accepted while the switch does
 * not read.
 */
public final class OpenFlowSwitch implements IOFSwitch {
  private final SwitchConnection connection;
  private final OFFactory factory;
  private final OFFeaturesReply features;
  private final SwitchDescription description;
  private final SwitchPorts ports;
  private final EchoKeepAlive echo;
  private final long connectedSinceMillis = System.currentTimeMillis();
  private final Map<Object, Object> attributes = new ConcurrentHashMap<>();
  private volatile OFControllerRole role = OFControllerRole.ROLE_EQUAL;
  private volatile boolean disconnected;

  OpenFlowSwitch(
      SwitchConnection connection,
      OFFactory factory,
      OFFeaturesReply features,
      SwitchDescription description,
      SwitchPorts ports,
      EchoKeepAlive echo) {
    this.connection = connection;
    this.factory = factory;
    this.features = features;
    this.description = description;
    this.ports = ports;
    this.echo = echo;
  }

  SwitchConnection connection() {
    return connection;
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

  @Override
  public boolean write(OFMessage message) {
    return connection.write(message);
  }

  @Override
  public Collection<OFMessage> write(Iterable<OFMessage> messages) {
    return connection.write(messages);
  }

  @Override
  public <R extends OFMessage> ListenableFuture<R> writeRequest(OFRequest<R> request) {
    return connection.writeRequest(request);
  }

  @Override
  public <R extends OFStatsReply> ListenableFuture<List<R>> writeStatsRequest(
      OFStatsRequest<R> request) {
    return connection.writeStatsRequest(request);
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
  public void disconnect() {
    connection.close();
  }

  /** Empty: OpenFlow 1.3 and later have no such set. */
  @Override
  public Set<OFActionType> getActions() {
    return Set.of();
  }

  @Override
  public Set<OFCapabilities> getCapabilities() {
    return features.getCapabilities();
  }

  @Override
  public Collection<TableId> getTables() {
    return IntStream.range(0, features.getNTables()).mapToObj(TableId::of).toList();
  }

  @Override
  public SwitchDescription getSwitchDescription() {
    return description;
  }

  @Override
  public SocketAddress getInetAddress() {
    return connection.remoteAddress();
  }

  @Override
  public Collection<OFPortDesc> getEnabledPorts() {
    return ports.all().values().stream().filter(OFPortDesc::isEnabled).toList();
  }

  @Override
  public Collection<OFPort> getEnabledPortNumbers() {
    return getEnabledPorts().stream().map(OFPortDesc::getPortNo).toList();
  }

  @Override
  public @Nullable OFPortDesc getPort(OFPort port) {
    return ports.all().get(port);
  }

  @Override
  public @Nullable OFPortDesc getPort(String name) {
    return ports.named(name);
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
  public boolean isConnected() {
    return connection.isOpen();
  }

  @Override
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  public Date getConnectedSince() {
    return new Date(connectedSinceMillis);
  }

  @Override
  public DatapathId getId() {
    return features.getDatapathId();
  }

  @Override
  public Map<Object, Object> getAttributes() {
    return attributes;
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
  public boolean hasAttribute(String name) {
    return attributes.containsKey(name);
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return attributes.get(name);
  }

  @Override
  public boolean attributeEquals(String name, Object value) {
    return value.equals(attributes.get(name));
  }

  @Override
  public void setAttribute(String name, Object value) {
    attributes.put(name, value);
  }

  @Override
  public @Nullable Object removeAttribute(String name) {
    return attributes.remove(name);
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
