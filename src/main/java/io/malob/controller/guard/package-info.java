/** Counts of rejected input from the network. */
package io.malob.controller.guard;
