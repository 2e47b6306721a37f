package io.malob.rest.live;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.monitor.IMonitorService;
import io.malob.resource.Reply;
import io.malob.resource.RouteTable;
import io.malob.rest.problem.ProblemSources;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state and its numbers, once a second, for pages: as a stream of events, or by polls. A stream
 * needs a thread, in real Floodlight one of those that handle requests, so their number is limited;
 * other clients poll.
 */
public final class LiveEvents implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LiveEvents.class);
  private static final long TICK_MILLIS = 1_000;

  /** Real Floodlight has ten threads; the embedded controller has separate ones for streams. */
  private static final int MAX_LISTENERS = 6;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final LiveFeed feed;
  private final IMonitorService monitor;
  private final TrafficMeter meter;
  private final TrafficHistory history = new TrafficHistory();

  /** Events from these services. */
  public LiveEvents(ProblemSources sources, LongSupplier nanoTime) {
    monitor = sources.monitor();
    meter = new TrafficMeter(sources.balancer());
    feed = new LiveFeed(new LiveSource(sources, history), nanoTime, MAX_LISTENERS, PATIENCE_NANOS);
  }

  /** Starts to keep the history of traffic, and to produce events while there are listeners. */
  public void start(ScheduledExecutorService timer) {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** First the sample, so that the events have it. */
  private void tick() {
    attempt(
        "keeping the history of traffic",
        () -> meter.next(monitor.nanoTime()).ifPresent(history::add));
    attempt("making events for pages", feed::tick);
  }

  /** An exception would end the repetition for good. */
  private static void attempt(String task, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      log.error("task_failed task=\"{}\" - it is retried", task, e);
    }
  }

  /** The traffic of the last ten minutes as a JSON object. */
  public Map<String, Object> history() {
    return history.shown();
  }

  /** The stream, and the latest state and numbers. */
  public RouteTable routes() {
    return RouteTable.ignoringParameters().stream("", call -> stream())
        .get("state", call -> part(feed.current().state()))
        .get("rates", call -> part(feed.current().rates()));
  }

  private Reply stream() throws RejectedException {
    LiveFeed.Listener listener =
        feed.join()
            .orElseThrow(
                () ->
                    new RejectedException(
                        Reason.BUSY,
                        "the maximum number of event streams is open; poll /state and /rates"
                            + " instead",
                        null));
    return Reply.ok(new EventStream(listener)).withHeader("Cache-Control", "no-store");
  }

  /** Content that the client already has is not sent again. */
  private static Reply part(LiveFrames.Part part) {
    return Reply.document("application/json", part.json())
        .withTag("W/\"" + part.tag() + "\"")
        .revalidated();
  }

  /** Ends all streams. */
  @Override
  public void close() {
    feed.close();
  }
}
