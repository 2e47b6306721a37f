package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/** Messages for one switch, in the order in which they are to be sent. */
public record MessageBatch(DatapathId switchId, ImmutableList<OFMessage> messages) {}
