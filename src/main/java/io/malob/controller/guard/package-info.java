/** What came from the network and was refused, counted for those who watch over it. */
package io.malob.controller.guard;
