/**
 * The controller's view of the network, and its own functions: links, topology, hosts, and
 * shortest-path forwarding of packets that no application handles.
 *
 * <p>No broadcast ever crosses a link between switches. A broadcast that enters at a host port
 * comes to the controller, which sends one copy to each other host port of the connected part of
 * the network. So a mesh with loops causes neither storms nor duplicates, provided that no port to
 * a switch counts as a host port. Therefore a port counts as a host port only after it has been
 * probed for a while without finding a link, at start and after the loss of a link, and no longer
 * as soon as a probe arrives there.
 */
package io.malob.controller.network;
