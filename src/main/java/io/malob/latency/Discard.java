package io.malob.latency;

/** Why a frame is ignored, or a result not used. */
enum Discard {
  MALFORMED,
  FOREIGN,
  FORGED,
  NOT_AWAITED,
  ELSEWHERE,
  NEGATIVE,
  ABSURD,
  NO_CONTROL
}
