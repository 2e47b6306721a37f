/** Reads state files, with errors that contain the position. */
@NullMarked
package io.malob.file;

import org.jspecify.annotations.NullMarked;
