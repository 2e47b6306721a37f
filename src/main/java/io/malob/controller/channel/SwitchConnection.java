package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.malob.module.Mastership;
import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The connection to an active switch: output, and pending requests. Safe for use by several
 * threads; nothing here blocks. While more bytes wait for the socket than the channel's high
 * watermark, nothing is accepted: {@code write} gives the messages back and requests fail, so a
 * switch that does not read costs a bounded amount of memory.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
abstract class SwitchConnection implements IOFSwitch {
  private final Channel channel;
  private final DatapathId id;
  private final ChannelSettings settings;
  private final LongSupplier nanoTime;
  private final PendingRequests pending;

  /**
   * Whether a timer runs. One timer serves all requests, because most are answered long before it
   * ends, and starting a timer from another thread wakes the channel's thread.
   */
  private final AtomicBoolean timerRuns = new AtomicBoolean();

  SwitchConnection(
      Channel channel, DatapathId id, ChannelSettings settings, LongSupplier nanoTime) {
    this.channel = channel;
    this.id = id;
    this.settings = settings;
    this.nanoTime = nanoTime;
    pending = new PendingRequests(settings.maxPendingRequests(), nanoTime);
  }

  @Override
  public boolean write(OFMessage message) {
    return send(message);
  }

  /** Sends all of the messages, or returns all of them if the connection accepts none. */
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
              ? new OpenFlowException("Switch " + id + " does not read its messages")
              : new SwitchDisconnectedException(id));
      return;
    }
    if (timerRuns.compareAndSet(false, true)) {
      startTimer(TimeUnit.MILLISECONDS.toNanos(settings.requestTimeoutMillis()));
    }
    // the connection may have been closed, and its requests failed, in the meantime
    if (!channel.isActive()) {
      pending.fail(xid, new SwitchDisconnectedException(id));
    }
  }

  private void startTimer(long nanos) {
    channel.eventLoop().schedule(this::failOverdue, nanos, TimeUnit.NANOSECONDS);
  }

  /** Fails what was not answered in time; the timer goes on while requests wait. */
  private void failOverdue() {
    long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(settings.requestTimeoutMillis());
    long now = nanoTime.getAsLong();
    pending.failAddedBefore(now - timeoutNanos, this::overdue);
    OptionalLong oldest = pending.oldestNanos();
    if (oldest.isPresent()) {
      startTimer(oldest.getAsLong() + timeoutNanos - now);
      return;
    }
    timerRuns.set(false);
    // a request that was added before that, by another thread, has started no timer
    if (pending.oldestNanos().isPresent() && timerRuns.compareAndSet(false, true)) {
      startTimer(timeoutNanos);
    }
  }

  private OpenFlowException overdue(OFMessage request) {
    return new OpenFlowException(
        String.format(
            "Switch %s did not answer %s within %d ms",
            id, request.getType(), settings.requestTimeoutMillis()));
  }

  private boolean send(Object message) {
    if (!channel.isWritable()) {
      return false;
    }
    channel.writeAndFlush(message, channel.voidPromise());
    return true;
  }

  /** The requests that wait for answers. */
  PendingRequests pending() {
    return pending;
  }

  /** Requests the controller's role, once per echo interval if needed. */
  RoleWatch roleWatch() {
    return new RoleWatch(channel, getOFFactory(), settings.echoIntervalMillis());
  }

  /** This controller's role at the switch, decided by a cluster's election. */
  ClusterRole clusterRole(Mastership mastership) {
    return new ClusterRole(channel, this, mastership);
  }

  @Override
  public DatapathId getId() {
    return id;
  }

  @Override
  public void disconnect() {
    channel.close();
  }

  @Override
  public boolean isConnected() {
    return channel.isActive();
  }

  @Override
  public SocketAddress getInetAddress() {
    return channel.remoteAddress();
  }
}
