package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.mptcp.IMptcpService;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plan of MPTCP's sub-flows. Safe for use by several threads. */
record MptcpResources(IMptcpService mptcp) {
  /** The installed plan. */
  Reply status(Call call) {
    return Reply.ok(mptcp.status());
  }

  /** Computes a plan without installing it. */
  Reply plan(Call call) throws IOException, RejectedException {
    return Reply.ok(mptcp.plan(call.body().bytes()));
  }

  /** Installs a plan. Switches may take longer than a request waits. */
  Reply apply(Call call) throws IOException, RejectedException {
    Map<String, @Nullable Object> status = mptcp.apply(call.body().bytes());
    return Reply.ok(status).withStatus("applying".equals(status.get("state")) ? 202 : 200);
  }

  /** Removes the plan. */
  Reply clear(Call call) throws RejectedException {
    if (!mptcp.clear()) {
      throw noPlan();
    }
    // the state does not show switches that still have the former rules
    return mptcp.isInForce() ? Reply.ok(mptcp.status()) : Reply.pending(mptcp.status());
  }

  /** The plan as a drawing. */
  Reply picture(Call call) throws RejectedException {
    return Reply.text("image/svg+xml", mptcp.picture().orElseThrow(MptcpResources::noPlan));
  }

  private static RejectedException noPlan() {
    return RejectedException.notFound("no plan is in place");
  }
}
