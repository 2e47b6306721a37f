package net.floodlightcontroller.core;

import com.google.common.util.concurrent.ListenableFuture;
import java.util.Collection;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;

/** A target for OpenFlow messages. Safe for use by several threads. */
public interface IOFMessageWriter {
  /** Sends one message; false if the peer is not connected. */
  boolean write(OFMessage message);

  /** Sends messages in order; returns those that were not sent. */
  Collection<OFMessage> write(Iterable<OFMessage> messages);

  /** Sends a request; the future fails if the switch answers with an error or disconnects. */
  <R extends OFMessage> ListenableFuture<R> writeRequest(OFRequest<R> request);

  /** Sends a statistics request; the future holds all parts of the answer. */
  <REPLY extends OFStatsReply> ListenableFuture<List<REPLY>> writeStatsRequest(
      OFStatsRequest<REPLY> request);
}
