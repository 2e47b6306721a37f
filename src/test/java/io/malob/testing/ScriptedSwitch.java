package io.malob.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesRequest;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/**
 * An OpenFlow 1.3 (or 1.4, or 1.5) switch for tests, over a real TCP connection: it answers the
 * handshake, echoes and barriers by itself, records all that it gets, and sends what a test tells
 * it to. It has no tables: rules are recorded, not applied. Safe for use by several threads;
 * everything that waits gives up after ten seconds with an {@link AssertionError} that says what
 * came instead.
 *
 * <pre>{@code
 * try (ScriptedSwitch sw = new ScriptedSwitch(1, 3).connect(controller.openFlowPort())) {
 *   sw.awaitHandshake();
 *   sw.packetIn(2, frame);
 *   OFPacketOut out = sw.await(OFPacketOut.class, any -> true);
 * }
 * }</pre>
 */
public final class ScriptedSwitch implements AutoCloseable {
  /** Makes the messages that tests send from a switch that speaks OpenFlow 1.3. */
  public static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private static final int HEADER_BYTES = 8;
  private static final int PACKET_OUT = 13;
  private static final long PATIENCE_MILLIS = 10_000;

  private final DatapathId id;
  private OFFactory factory = FACTORY;
  private final Map<OFPort, Boolean> ports = new TreeMap<>();
  private final List<OFMessage> received = new ArrayList<>();
  private final Socket socket = new Socket();
  private short tables = 254;
  private OFAuxId auxiliaryId = OFAuxId.MAIN;
  private Function<OFMessage, List<OFMessage>> script = request -> null;
  private SwitchRoles roles = new SwitchRoles();
  private boolean closed;
  private boolean reading = true;

  /** A switch with ports 1 to {@code ports}, all up; not connected yet. */
  public ScriptedSwitch(long id, int ports) {
    this.id = DatapathId.of(id);
    for (int number = 1; number <= ports; number++) {
      OFPort port = OFPort.of(number);
      this.ports.put(port, true);
    }
  }

  /** Sets the one version that it speaks; before it connects. */
  public ScriptedSwitch version(OFVersion version) {
    factory = OFFactories.getFactory(version);
    return this;
  }

  /** Makes the messages of its version. */
  public OFFactory factory() {
    return factory;
  }

  /** Sets the number of tables that it says it has; before it connects. */
  public ScriptedSwitch tables(int count) {
    tables = (short) count;
    return this;
  }

  /** Makes it another connection of the switch whose roles these are; before it connects. */
  public ScriptedSwitch roles(SwitchRoles shared) {
    roles = shared;
    return this;
  }

  /** Makes it an auxiliary connection; before it connects. */
  public ScriptedSwitch auxiliary(int number) {
    auxiliaryId = OFAuxId.of((short) number);
    return this;
  }

  /**
   * Sets what it answers in place of its usual answers: a list of messages, empty for silence, or
   * null for the usual answer. Called on the switch's own thread.
   */
  public synchronized ScriptedSwitch answer(Function<OFMessage, List<OFMessage>> answers) {
    script = answers;
    return this;
  }

  /** Connects to a controller on this machine and says HELLO. */
  public ScriptedSwitch connect(int controllerPort) {
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), controllerPort));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread reader = new Thread(this::readAll, "scripted-switch-" + id.getLong());
    reader.setDaemon(true);
    reader.start();
    U32 bitmap = U32.of(1 << factory.getVersion().getWireVersion());
    send(factory.hello(List.of(factory.helloElemVersionbitmap(List.of(bitmap)))));
    return this;
  }

  /**
   * Stops or goes on reading what the controller sends; the message that it is just reading is
   * still taken.
   */
  public synchronized ScriptedSwitch reading(boolean on) {
    reading = on;
    notifyAll();
    return this;
  }

  private synchronized void awaitReading() throws IOException {
    while (!reading) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  /** The datapath id. */
  public DatapathId id() {
    return id;
  }

  /** Sends a message to the controller. */
  public void send(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    sendBytes(bytes);
  }

  /** Sends bytes as they are. */
  public void sendBytes(byte[] bytes) {
    try {
      OutputStream out = socket.getOutputStream();
      synchronized (out) {
        out.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reports a frame that missed in table 0. */
  public void packetIn(int inPort, byte[] frame) {
    packetIn(inPort, 0, frame);
  }

  /** Reports a frame that missed in this table. */
  public void packetIn(int inPort, int table, byte[] frame) {
    send(
        factory
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setTotalLen(frame.length)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(TableId.of(table))
            .setCookie(U64.ZERO)
            .setMatch(factory.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(inPort)).build())
            .setData(frame)
            .build());
  }

  /** Takes a port up or down, and reports it. */
  public void setPortUp(int number, boolean up) {
    OFPort port = OFPort.of(number);
    boolean added;
    synchronized (this) {
      added = ports.put(port, up) == null;
    }
    portStatus(added ? OFPortReason.ADD : OFPortReason.MODIFY, describe(port, up));
  }

  /** Removes a port, and reports it. */
  public void removePort(int number) {
    OFPort port = OFPort.of(number);
    synchronized (this) {
      ports.remove(port);
    }
    portStatus(OFPortReason.DELETE, describe(port, false));
  }

  private void portStatus(OFPortReason reason, OFPortDesc port) {
    send(factory.buildPortStatus().setReason(reason).setDesc(port).build());
  }

  private OFPortDesc describe(OFPort port, boolean up) {
    OFPortDesc.Builder desc = factory.buildPortDesc();
    if (factory.getVersion() == OFVersion.OF_13) {
      desc.setCurr(Set.of()).setAdvertised(Set.of()).setSupported(Set.of()).setPeer(Set.of());
    }
    return desc.setPortNo(port)
        .setHwAddr(MacAddress.of(0x02_00_00_00_00_00L | id.getLong() << 8 | port.getPortNumber()))
        .setName("s" + id.getLong() + "-eth" + port.getPortNumber())
        .setConfig(Set.of())
        .setState(up ? Set.of() : Set.of(OFPortState.LINK_DOWN))
        .build();
  }

  /** All messages so far, without those that the latest {@link #forget} dropped. */
  public synchronized List<OFMessage> received() {
    return List.copyOf(received);
  }

  /** The messages of this type so far. */
  public <T extends OFMessage> List<T> received(Class<T> type) {
    return received().stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** The rules that it was told to add, change or delete so far. */
  public List<OFFlowMod> flowMods() {
    return received(OFFlowMod.class);
  }

  /** The packets that it was told to send so far. */
  public List<OFPacketOut> packetOuts() {
    return received(OFPacketOut.class);
  }

  /** Drops what was recorded so far. */
  public synchronized void forget() {
    received.clear();
  }

  /** Waits until the controller has set its table-miss rules, and drops what came so far. */
  public ScriptedSwitch awaitHandshake() {
    awaitCount(
        2, OFBarrierRequest.class, any -> true); // after the question about roles, at the end
    forget();
    return this;
  }

  /** Waits for a message that came, or comes, of this type and with this property. */
  public <T extends OFMessage> T await(Class<T> type, Predicate<T> property) {
    return awaitCount(1, type, property).get(0);
  }

  /** Waits until there are at least so many messages of this type and with this property. */
  public <T extends OFMessage> List<T> awaitCount(int count, Class<T> type, Predicate<T> property) {
    List<T> found = new ArrayList<>();
    AtomicInteger seen = new AtomicInteger();
    waitFor(
        count + " " + type.getSimpleName(),
        () -> {
          // each message is looked at once, however often this is asked
          for (OFMessage each :
              received.subList(Math.min(seen.get(), received.size()), received.size())) {
            if (type.isInstance(each) && property.test(type.cast(each))) {
              found.add(type.cast(each));
            }
          }
          seen.set(received.size());
          return found.size() >= count;
        });
    return found;
  }

  /** Waits until the controller has closed the connection. */
  public void awaitClosed() {
    waitFor("a closed connection", () -> closed);
  }

  private synchronized void waitFor(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    while (!condition.getAsBoolean()) {
      long millis = (deadline - System.nanoTime()) / 1_000_000;
      if (closed || millis <= 0) {
        throw new AssertionError(
            String.format(
                "expected %s%s, got %d messages: %.2000s",
                what, closed ? ", but was closed" : "", received.size(), received));
      }
      try {
        wait(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + what, e);
      }
    }
  }

  /** Closes the connection. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readAll() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        awaitReading();
        OFMessage message = readOne(in);
        if (message == null) {
          continue;
        }
        respond(message);
        synchronized (this) {
          received.add(message);
          notifyAll();
        }
      }
    } catch (IOException | UncheckedIOException e) {
      synchronized (this) {
        closed = true;
        notifyAll();
      }
    }
  }

  /** Null if it has refused the message, a PACKET_OUT with an action that only Open vSwitch has. */
  private @Nullable OFMessage readOne(DataInputStream in) throws IOException {
    byte[] header = in.readNBytes(HEADER_BYTES);
    if (header.length < HEADER_BYTES) {
      throw new IOException("end of stream");
    }
    ByteBuf frame = Unpooled.buffer();
    frame.writeBytes(header);
    frame.writeBytes(in.readNBytes(frame.getUnsignedShort(2) - HEADER_BYTES));
    try {
      return OFFactories.getGenericReader().readFrom(frame);
    } catch (OFParseError e) {
      if (frame.getByte(1) != PACKET_OUT) {
        throw new IOException(e);
      }
      send(
          factory
              .errorMsgs()
              .buildBadActionErrorMsg()
              .setXid(frame.getUnsignedInt(4))
              .setCode(OFBadActionCode.BAD_EXPERIMENTER)
              .setData(OFErrorCauseData.NONE)
              .build());
      return null;
    }
  }

  private void respond(OFMessage message) {
    Function<OFMessage, List<OFMessage>> current;
    synchronized (this) {
      current = script;
    }
    List<OFMessage> scripted = current.apply(message);
    for (OFMessage answer : scripted == null ? usualAnswers(message) : scripted) {
      send(answer);
    }
  }

  private List<OFMessage> usualAnswers(OFMessage message) {
    long xid = message.getXid();
    if (message instanceof OFFeaturesRequest) {
      return List.of(
          factory
              .buildFeaturesReply()
              .setXid(xid)
              .setDatapathId(id)
              .setNTables(tables)
              .setAuxiliaryId(auxiliaryId)
              .setCapabilities(Set.of())
              .build());
    } else if (message instanceof OFPortDescStatsRequest) {
      List<OFPortDesc> all;
      synchronized (this) {
        all = ports.entrySet().stream().map(e -> describe(e.getKey(), e.getValue())).toList();
      }
      return List.of(factory.buildPortDescStatsReply().setXid(xid).setEntries(all).build());
    } else if (message instanceof OFDescStatsRequest) {
      return List.of(description(xid));
    } else if (message instanceof OFRoleRequest role) {
      return List.of(roles.answer(this, factory, role));
    } else if (message instanceof OFFlowMod rule) {
      return roles.answer(this, factory, rule);
    } else if (message instanceof OFBarrierRequest) {
      return List.of(factory.buildBarrierReply().setXid(xid).build());
    } else if (message instanceof OFEchoRequest echo) {
      return List.of(factory.buildEchoReply().setXid(xid).setData(echo.getData()).build());
    }
    return List.of();
  }

  private OFMessage description(long xid) {
    return factory
        .buildDescStatsReply()
        .setXid(xid)
        .setMfrDesc("malob")
        .setHwDesc("scripted")
        .setSwDesc("1")
        .setSerialNum("0")
        .setDpDesc("for tests")
        .build();
  }
}
