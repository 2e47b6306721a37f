/** The decisions which long flows are rerouted. */
package io.malob.algorithm.move;
