package io.malob.algorithm;

import io.malob.algorithm.graph.Path;

/**
 * What was chosen for one connection.
 *
 * @param server the server
 * @param requestPath from the client's edge switch to the server's
 * @param replyPath from the server's edge switch to the client's; not always the same way back
 */
public record Placement(Server server, Path requestPath, Path replyPath) implements Placer.Result {}
