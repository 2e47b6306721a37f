/**
 * Hosts with several ports of one switch. A bond is one port to all modules: its first port. What
 * the controller and a switch send to each other is changed at the connection.
 */
@NullMarked
package io.malob.controller.bond;

import org.jspecify.annotations.NullMarked;
