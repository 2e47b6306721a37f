/** The log format for machines. */
package io.malob.controller.logs;
