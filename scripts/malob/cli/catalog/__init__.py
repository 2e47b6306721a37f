"""`./malob vip|pool|member|service`: what a controller balances, looked at and changed."""
