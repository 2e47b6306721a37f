/** The controller's log: its format for people and for machines, and where it goes. */
package io.malob.controller.logs;
