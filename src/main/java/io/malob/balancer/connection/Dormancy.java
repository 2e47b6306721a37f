package io.malob.balancer.connection;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;

/**
 * What a dormant connection is, beside what never changes of it.
 *
 * @param isAnswered as {@link Connection#isAnswered}
 */
record Dormancy(
    Server server,
    Attachment client,
    boolean isEnded,
    boolean isAnswered,
    long openedAtNanos,
    long sinceNanos,
    long relocatedAtNanos) {}
