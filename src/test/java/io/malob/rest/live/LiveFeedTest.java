package io.malob.rest.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LiveFeedTest {
  private static final long SECOND = 1_000_000_000L;

  private long nanoTime = 100 * SECOND;
  private int made;
  private final LiveFeed feed = new LiveFeed(before -> next(), () -> nanoTime, 2, 5 * SECOND);

  private LiveFrames next() {
    made++;
    return new LiveFrames(
        LiveFrames.Part.of("{\"state\":1}".getBytes(UTF_8)),
        LiveFrames.Part.of(("{\"rates\":" + made + "}").getBytes(UTF_8)));
  }

  private static String rates(LiveFrames frames) {
    return new String(frames.rates().json(), UTF_8);
  }

  @Test
  void tick_withoutAnybodyInterested_makesNothing() {
    feed.tick();
    assertEquals(0, made);
  }

  @Test
  void tick_withListeners_makesFramesOnceForAll() throws Exception {
    LiveFeed.Listener one = feed.join().orElseThrow();
    LiveFeed.Listener other = feed.join().orElseThrow();
    assertEquals("{\"rates\":1}", rates(one.next()));
    assertEquals("{\"rates\":1}", rates(other.next()));
    feed.tick();
    assertEquals("{\"rates\":2}", rates(one.next()));
    assertEquals("{\"rates\":2}", rates(other.next()));
  }

  @Test
  void next_afterSeveralTicks_skipsToTheLatest() throws Exception {
    LiveFeed.Listener slow = feed.join().orElseThrow();
    slow.next();
    feed.tick();
    feed.tick();
    feed.tick();
    assertEquals("{\"rates\":4}", rates(slow.next()));
  }

  @Test
  void join_beyondTheLimit_isRefusedUntilOneGoes() {
    LiveFeed.Listener one = feed.join().orElseThrow();
    assertTrue(feed.join().isPresent());
    assertFalse(feed.join().isPresent());
    one.close();
    one.close();
    assertTrue(feed.join().isPresent());
    assertFalse(feed.join().isPresent());
  }

  @Test
  void tick_afterTheLastListenerIsGone_makesNothing() throws Exception {
    try (LiveFeed.Listener listener = feed.join().orElseThrow()) {
      listener.next();
    }
    nanoTime += 11 * SECOND;
    feed.tick();
    assertEquals(1, made);
  }

  @Test
  void current_isMadeAgainOnceItIsOld() {
    assertEquals("{\"rates\":1}", rates(feed.current()));
    nanoTime += SECOND;
    assertEquals("{\"rates\":1}", rates(feed.current()));
    nanoTime += 2 * SECOND;
    assertEquals("{\"rates\":2}", rates(feed.current()));
  }

  @Test
  void tick_shortlyAfterSomebodyAsked_keepsFramesFresh() {
    feed.current();
    nanoTime += SECOND;
    feed.tick();
    assertEquals("{\"rates\":2}", rates(feed.current()));
    nanoTime += 10 * SECOND;
    feed.tick();
    assertEquals(2, made);
  }

  @Test
  void close_endsListenersThatWait() throws Exception {
    LiveFeed.Listener listener = feed.join().orElseThrow();
    listener.next();
    CompletableFuture<LiveFrames> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return listener.next();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    feed.close();
    assertNull(waiting.get(10, TimeUnit.SECONDS));
    assertFalse(feed.join().isPresent());
  }

  /** A socket whose other end reads nothing: its writer waits until it is interrupted. */
  @Test
  void tick_interruptsWhoWritesToAListenerThatTakesNothing() throws Exception {
    CountDownLatch writes = new CountDownLatch(1);
    OutputStream stuck =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            writes.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        };
    EventStream stream = new EventStream(feed.join().orElseThrow());
    CompletableFuture<Boolean> ended =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                stream.write(stuck);
                return false;
              } catch (IOException e) {
                return !Thread.currentThread().isInterrupted();
              }
            });
    assertTrue(writes.await(10, TimeUnit.SECONDS));
    nanoTime += 4 * SECOND;
    feed.tick();
    assertFalse(ended.isDone());
    nanoTime += 2 * SECOND;
    feed.tick();
    assertTrue(ended.get(10, TimeUnit.SECONDS), "ended, and its thread can go on with others");
    assertTrue(feed.join().isPresent());
    assertTrue(feed.join().isPresent(), "the place is free");
  }
}
