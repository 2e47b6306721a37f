"""The network and the programs that an experiment runs on."""
