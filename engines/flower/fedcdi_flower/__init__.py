"""fedcdi on Flower: a ServerApp that holds the coordinator, and a ClientApp that holds a site."""
