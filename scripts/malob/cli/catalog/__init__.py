"""`./malob vip|pool|member|service`: shows and changes a controller's catalog."""
