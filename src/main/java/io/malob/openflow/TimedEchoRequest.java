package io.malob.openflow;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * An echo request with a callback when it is written into the connection's buffer, like {@link
 * TimedPacketOut}. All else is from openflowj.
 */
public final class TimedEchoRequest implements OFEchoRequest {
  private final OFEchoRequest request;
  private final Runnable written;

  /** A request with this data that runs this when it is written; it must not block. */
  public TimedEchoRequest(OFFactory factory, byte[] data, Runnable written) {
    this.request = factory.echoRequest(data);
    this.written = written;
  }

  @Override
  public void writeTo(ByteBuf out) {
    written.run();
    request.writeTo(out);
  }

  @Override
  public OFVersion getVersion() {
    return request.getVersion();
  }

  @Override
  public OFType getType() {
    return OFType.ECHO_REQUEST;
  }

  @Override
  public long getXid() {
    return request.getXid();
  }

  @Override
  public byte[] getData() {
    return request.getData();
  }

  @Override
  public boolean equalsIgnoreXid(Object other) {
    return request.equalsIgnoreXid(other);
  }

  @Override
  public int hashCodeIgnoreXid() {
    return request.hashCodeIgnoreXid();
  }

  @Override
  public void putTo(PrimitiveSink sink) {
    request.putTo(sink);
  }

  @Override
  public Builder createBuilder() {
    return request.createBuilder();
  }

  @Override
  public String toString() {
    return request.toString();
  }
}
