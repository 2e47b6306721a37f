"""`./malob bench real-networks`: VIPs in networks with routers, VLANs, legacy switches and bonds."""
