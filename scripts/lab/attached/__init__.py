"""What can be attached to a lab's switches besides its plain hosts: routers, legacy switches, tagged and bonded hosts.

All of it is made after the lab, and goes with it.
"""
