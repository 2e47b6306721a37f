package io.malob.algorithm;

import com.google.common.collect.ImmutableList;

/**
 * Two placers by one rule: connections go to the servers of the second, the backups, only while
 * those of the first can take none. Neither of the two is without servers.
 */
record WithBackups(Placer first, Placer backups) implements Placer {

  @Override
  public Result place(Request request, NetworkSnapshot network) {
    Result result = first.place(request, network);
    return result instanceof Placement
        ? result
        : either((Refusal) result, backups.place(request, network));
  }

  /**
   * A server that is not acceptable now may be so for the next request: that is the weaker refusal.
   */
  private static Result either(Refusal refusal, Result ofBackups) {
    return refusal == Refusal.NOT_ACCEPTABLE && ofBackups instanceof Refusal ? refusal : ofBackups;
  }

  @Override
  public Result placeOn(Server server, Request request, NetworkSnapshot network) {
    return first.placeOn(server, request, network);
  }

  @Override
  public void prepare(NetworkSnapshot network) {
    first.prepare(network);
    backups.prepare(network);
  }

  @Override
  public void loadChanged(Server server) {
    first.loadChanged(server);
    backups.loadChanged(server);
  }

  @Override
  public void sharesChanged() {
    first.sharesChanged();
    backups.sharesChanged();
  }

  @Override
  public Explanation explain(Request request, NetworkSnapshot network) {
    Explanation usual = first.explain(request, network);
    Explanation reserve = backups.explain(request, network);
    Result result =
        usual.result() instanceof Refusal refusal
            ? either(refusal, reserve.result())
            : usual.result();
    return new Explanation(
        result,
        usual.server(),
        usual.path(),
        ImmutableList.<Explanation.Candidate>builder()
            .addAll(usual.candidates())
            .addAll(reserve.candidates())
            .build());
  }
}
