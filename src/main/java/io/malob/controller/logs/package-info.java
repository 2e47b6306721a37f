/** How lines of the log look to machines. */
package io.malob.controller.logs;
