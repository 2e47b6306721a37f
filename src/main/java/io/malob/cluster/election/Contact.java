package io.malob.cluster.election;

/**
 * Where others reach a controller.
 *
 * @param rest its REST interface, as in {@code 10.0.0.1:8080}; empty if not known
 * @param peer its port for other controllers, as {@code HOST:PORT/TOKEN}; empty if it has none
 */
public record Contact(String rest, String peer) {}
