package io.malob.controller.network.links;

import java.util.Optional;

/**
 * Reads a frame as a probe of links: it is none, or has the type and the mark of one. In the form
 * that Jazzer calls.
 */
public final class ProbeFuzz {
  /** The key that the probes of the corpus are signed with. */
  private static final ProbeFrames FRAMES = new ProbeFrames(new byte[] {1, 2, 3});

  private ProbeFuzz() {}

  /** Reads one frame. */
  public static void fuzzerTestOneInput(byte[] frame) {
    boolean isProbe = ProbeFrames.isProbe(frame);
    boolean isMarked = ProbeFrames.isMarked(frame);
    Optional<ProbeFrames.Probe> probe = FRAMES.read(frame);
    if (probe.isPresent() && !(isProbe && isMarked)) {
      throw new AssertionError("expected type and mark of a probe");
    }
  }
}
