package io.malob.algorithm;

import io.malob.algorithm.graph.Path;

/**
 * The server and paths of one connection.
 *
 * @param server the server
 * @param requestPath from the client's edge switch to the server's
 * @param replyPath from the server's edge switch to the client's; it may differ from the request's
 */
public record Placement(Server server, Path requestPath, Path replyPath) implements Placer.Result {}
