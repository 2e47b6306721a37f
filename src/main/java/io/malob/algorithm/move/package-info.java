/** Which long flows are led over another path. */
package io.malob.algorithm.move;
