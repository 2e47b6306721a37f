package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFMessageWriter;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The connection to an active switch: what is sent, and the requests that wait for answers. Safe
 * for use by several threads; nothing here blocks. While more bytes wait for the socket than the
 * channel's high watermark, nothing is accepted: {@code write} gives the messages back and requests
 * fail, so a switch that does not read costs a bounded amount of memory.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class SwitchConnection implements IOFMessageWriter {
  private final Channel channel;
  private final DatapathId id;
  private final int requestTimeoutMillis;
  private final int echoIntervalMillis;
  private final PendingRequests pending;

  SwitchConnection(Channel channel, DatapathId id, ChannelSettings settings) {
    this.channel = channel;
    this.id = id;
    requestTimeoutMillis = settings.requestTimeoutMillis();
    echoIntervalMillis = settings.echoIntervalMillis();
    pending = new PendingRequests(settings.maxPendingRequests());
  }

  @Override
  public boolean write(OFMessage message) {
    return send(message);
  }

  /** Sends all of the messages or, where the connection takes none, gives all of them back. */
  @Override
  public Collection<OFMessage> write(Iterable<OFMessage> messages) {
    ImmutableList<OFMessage> batch = ImmutableList.copyOf(messages);
    return batch.isEmpty() || send(new MessageBatch(batch)) ? ImmutableList.of() : batch;
  }

  @Override
  public <R extends OFMessage> ListenableFuture<R> writeRequest(OFRequest<R> request) {
    ListenableFuture<R> future = pending.add(request);
    sendRequest(request, future);
    return future;
  }

  @Override
  public <R extends OFStatsReply> ListenableFuture<List<R>> writeStatsRequest(
      OFStatsRequest<R> request) {
    ListenableFuture<List<R>> future = pending.addStats(request);
    sendRequest(request, future);
    return future;
  }

  private void sendRequest(OFMessage request, ListenableFuture<?> future) {
    if (future.isDone()) {
      return;
    }
    long xid = request.getXid();
    if (!send(request)) {
      pending.fail(
          xid,
          channel.isActive()
              ? new OpenFlowException("Switch " + id + " does not read what is sent to it")
              : new SwitchDisconnectedException(id));
      return;
    }
    ScheduledFuture<?> timeout =
        channel
            .eventLoop()
            .schedule(() -> timeOut(request), requestTimeoutMillis, TimeUnit.MILLISECONDS);
    future.addListener(() -> timeout.cancel(false), MoreExecutors.directExecutor());
    // it may have been closed, and its requests failed, while this one was on its way
    if (!channel.isActive()) {
      pending.fail(xid, new SwitchDisconnectedException(id));
    }
  }

  private void timeOut(OFMessage request) {
    pending.fail(
        request.getXid(),
        new OpenFlowException(
            String.format(
                "Switch %s did not answer %s within %d ms",
                id, request.getType(), requestTimeoutMillis)));
  }

  private boolean send(Object message) {
    if (!channel.isWritable()) {
      return false;
    }
    channel.writeAndFlush(message, channel.voidPromise());
    return true;
  }

  /**
   * Takes a message as the answer to a request; false if no request waits for it.
   *
   * @param bytesRead what the switch has sent so far, this message included
   */
  boolean answer(OFMessage reply, long bytesRead) {
    return pending.answer(reply, bytesRead);
  }

  /** Takes an error as the answer to a request; false if it belongs to none. */
  boolean answerError(OFErrorMsg error) {
    return pending.answerError(error);
  }

  /** Fails the request of this transaction, if there is one. */
  void failRequest(long xid, String reason) {
    pending.fail(xid, new OpenFlowException(reason));
  }

  /** Fails all requests: the connection is closed. */
  void closed() {
    pending.failAll(new SwitchDisconnectedException(id));
  }

  /** Asks for the controller's role, once per echo interval while that is needed. */
  RoleWatch roleWatch(OFFactory factory) {
    return new RoleWatch(channel, factory, echoIntervalMillis);
  }

  void close() {
    channel.close();
  }

  boolean isOpen() {
    return channel.isActive();
  }

  SocketAddress remoteAddress() {
    return channel.remoteAddress();
  }
}
