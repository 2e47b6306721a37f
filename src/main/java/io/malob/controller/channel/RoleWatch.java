package io.malob.controller.channel;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.types.U64;

/**
 * Polls a switch for this controller's role while the role is slave: OpenFlow 1.3 has no message by
 * which the switch could report a change. It never requests a role, so that two controllers do not
 * compete. On the channel's thread only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class RoleWatch {
  private final Channel channel;
  private final OFFactory factory;
  private final int intervalMillis;
  private @Nullable ScheduledFuture<?> running;

  RoleWatch(Channel channel, OFFactory factory, int intervalMillis) {
    this.channel = channel;
    this.factory = factory;
    this.intervalMillis = intervalMillis;
  }

  /** Sets the current role. */
  void changed(OFControllerRole role) {
    boolean needed = role == OFControllerRole.ROLE_SLAVE;
    ScheduledFuture<?> before = running;
    if (needed && before == null) {
      running =
          channel
              .eventLoop()
              .scheduleWithFixedDelay(
                  this::ask, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    } else if (!needed && before != null) {
      close();
    }
  }

  private void ask() {
    if (channel.isWritable()) {
      channel.writeAndFlush(question(factory), channel.voidPromise());
    }
  }

  /** The request that only returns role and generation id. */
  static OFRoleRequest question(OFFactory factory) {
    return factory
        .buildRoleRequest()
        .setRole(OFControllerRole.ROLE_NOCHANGE)
        .setGenerationId(U64.ZERO)
        .build();
  }

  /** Asks no more. */
  void close() {
    ScheduledFuture<?> before = running;
    if (before != null) {
      before.cancel(false);
      running = null;
    }
  }
}
