/**
 * What the controller knows of the network, and what it does by itself: links, topology, hosts, and
 * shortest-path forwarding of packets that no application handles.
 *
 * <p>No broadcast ever crosses a link between switches. A broadcast that enters at a host port
 * comes to the controller, which sends one copy to each other host port of the connected part of
 * the network. So a mesh with loops gives neither storms nor duplicates, as long as no port that
 * leads to a switch is taken for a host port. That is why a port counts as a host port only after
 * it has been probed for a while without a link showing up, at start as well as after a link was
 * lost, and loses that at once when a probe arrives there.
 */
package io.malob.controller.network;
