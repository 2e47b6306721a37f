package io.malob.simulation.fluid;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjDoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that are processed together, each at its own rate until another job starts or ends: the
 * transfers of a network, the computations of a server. For one thread.
 *
 * @param <J> the data that determines the rate of a job
 */
public final class SharedWork<J> {
  private static final double NANOSECOND = 1 / EventQueue.SECOND;

  private final EventQueue events;
  private final Rates<J> rates;
  private final Account<J> account;
  private final List<Running<J>> running = new ArrayList<>();
  private long settledNanos;
  private EventQueue.@Nullable Event nextEnd;

  /** The rates of concurrent jobs. */
  public interface Rates<J> {
    /** The rate of each, in units of work per second; positive and finite. */
    double[] of(List<J> jobs);
  }

  /** Records finished work. */
  public interface Account<J> {
    /** Adds finished work of a job. */
    void add(J job, double work);
  }

  private static final class Running<J> {
    private final J job;
    private final Runnable whenDone;
    private double left;
    private double rate;

    Running(J job, double work, Runnable whenDone) {
      this.job = job;
      this.left = work;
      this.whenDone = whenDone;
    }
  }

  /** No jobs yet. */
  public SharedWork(EventQueue events, Rates<J> rates, Account<J> account) {
    this.events = events;
    this.rates = rates;
    this.account = account;
    this.settledNanos = events.nowNanos();
  }

  /** Starts a job of that much work. */
  public void start(J job, double work, Runnable whenDone) {
    settle();
    running.add(new Running<>(job, work, whenDone));
    share();
  }

  /** Tells that the rates of the same jobs are others from now on. */
  public void ratesChanged() {
    settle();
    share();
  }

  /** How many jobs there are. */
  public int size() {
    return running.size();
  }

  /** Calls back with each job and its unfinished work. */
  public void forEach(ObjDoubleConsumer<J> each) {
    settle();
    running.forEach(one -> each.accept(one.job, one.left));
  }

  /** Updates the account. */
  public void settle() {
    double seconds = (events.nowNanos() - settledNanos) / EventQueue.SECOND;
    settledNanos = events.nowNanos();
    for (Running<J> one : running) {
      double done = Math.min(one.left, one.rate * seconds);
      one.left -= done;
      account.add(one.job, done);
    }
  }

  private void share() {
    if (nextEnd != null) {
      events.cancel(nextEnd);
      nextEnd = null;
    }
    double[] now = rates.of(running.stream().map(one -> one.job).toList());
    double first = Double.POSITIVE_INFINITY;
    for (int i = 0; i < now.length; i++) {
      Running<J> one = running.get(i);
      one.rate = now[i];
      first = Math.min(first, one.left / one.rate);
    }
    if (!running.isEmpty()) {
      nextEnd = events.after(first, this::end);
    }
  }

  /** Ends all jobs that are done, or would be within the nanosecond. */
  private void end() {
    settle();
    List<Running<J>> done = new ArrayList<>();
    running.removeIf(one -> one.left <= one.rate * NANOSECOND && done.add(one));
    done.forEach(one -> account.add(one.job, one.left));
    share();
    done.forEach(one -> one.whenDone.run());
  }
}
