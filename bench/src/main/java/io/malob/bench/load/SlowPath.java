package io.malob.bench.load;

import io.malob.testing.SwitchRoles;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFCapabilities;
import org.projectfloodlight.openflow.protocol.OFConfigFlags;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * How one emulated switch answers a controller's messages that are not about connections. The roles
 * are those of all the switch's controllers; each has a slow path of its own.
 */
final class SlowPath {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final short TABLES = 254;
  private static final long PORT_MACS = 0x0204_0000_0000L;

  private final long datapathId;
  private final List<Integer> ports;
  private final SwitchRoles roles;

  SlowPath(long datapathId, List<Integer> ports, SwitchRoles roles) {
    this.datapathId = datapathId;
    this.ports = List.copyOf(ports);
    this.roles = roles;
  }

  /** Whether the controller is the switch's master. */
  boolean isOfMaster() {
    return roles.of(this) == OFControllerRole.ROLE_MASTER;
  }

  /** Whether the controller may write to the switch. */
  boolean mayWrite() {
    return roles.of(this) != OFControllerRole.ROLE_SLAVE;
  }

  /** Rejects a message of a controller that may not write. */
  void reject(long xid, Outbox outbox) {
    send(error(xid, OFBadRequestCode.IS_SLAVE), outbox);
  }

  void hello(Outbox outbox) {
    send(FACTORY.hello(List.of()), outbox);
  }

  void handle(byte[] bytes, int at, int length, Outbox outbox) {
    OFMessage request;
    try {
      request = OFFactories.getGenericReader().readFrom(Unpooled.wrappedBuffer(bytes, at, length));
    } catch (OFParseError | RuntimeException e) {
      return; // a controller that sends an unreadable message gets no answer
    }
    OFMessage answer = request == null ? null : answer(request);
    if (answer != null) {
      send(answer, outbox);
    }
  }

  private static void send(OFMessage message, Outbox outbox) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    outbox.append(buffer.array(), 0, buffer.readableBytes());
  }

  private @Nullable OFMessage answer(OFMessage request) {
    long xid = request.getXid();
    return switch (request.getType()) {
      case FEATURES_REQUEST ->
          FACTORY
              .buildFeaturesReply()
              .setXid(xid)
              .setDatapathId(DatapathId.of(datapathId))
              .setNTables(TABLES)
              .setCapabilities(Set.of(OFCapabilities.FLOW_STATS, OFCapabilities.PORT_STATS))
              .build();
      case GET_CONFIG_REQUEST ->
          FACTORY
              .buildGetConfigReply()
              .setXid(xid)
              .setFlags(Set.<OFConfigFlags>of())
              .setMissSendLen(0xffff)
              .build();
      case ROLE_REQUEST -> roles.answer(this, FACTORY, (OFRoleRequest) request);
      case STATS_REQUEST -> statistics((OFStatsRequest<?>) request);
      case HELLO,
          SET_CONFIG,
          SET_ASYNC,
          ECHO_REPLY,
          ERROR,
          GROUP_MOD,
          METER_MOD,
          PORT_MOD,
          TABLE_MOD ->
          null;
      default -> error(xid, OFBadRequestCode.BAD_TYPE);
    };
  }

  private OFMessage statistics(OFStatsRequest<?> request) {
    long xid = request.getXid();
    return switch (request.getStatsType()) {
      case DESC ->
          FACTORY
              .buildDescStatsReply()
              .setXid(xid)
              .setMfrDesc("MALOB")
              .setHwDesc("emulated switch")
              .setSwDesc("load generator")
              .setSerialNum(Long.toString(datapathId))
              .setDpDesc("s" + datapathId)
              .build();
      case PORT_DESC ->
          FACTORY
              .buildPortDescStatsReply()
              .setXid(xid)
              .setEntries(ports.stream().map(this::port).toList())
              .build();
      case FLOW -> FACTORY.buildFlowStatsReply().setXid(xid).build();
      case PORT -> FACTORY.buildPortStatsReply().setXid(xid).build();
      case TABLE -> FACTORY.buildTableStatsReply().setXid(xid).build();
      default -> error(xid, OFBadRequestCode.BAD_STAT);
    };
  }

  private OFPortDesc port(int number) {
    return FACTORY
        .buildPortDesc()
        .setPortNo(OFPort.of(number))
        .setHwAddr(MacAddress.of(PORT_MACS | ((datapathId & 0xffff) << 16) | number))
        .setName("p" + number)
        .setConfig(Set.of())
        .setState(Set.of(OFPortState.LIVE))
        .build();
  }

  private static OFMessage error(long xid, OFBadRequestCode code) {
    return FACTORY.errorMsgs().buildBadRequestErrorMsg().setXid(xid).setCode(code).build();
  }
}
