"""Studies of fedcdi on NVIDIA FLARE: the platform moves bytes, fedcdi asks and answers."""

#: The name of the only task, and the key of the only value that travels in either direction.
TASK = "fedcdi"
#: What a party brings to its studies: a file in the ``local`` folder of its kit, out of reach of any job.
OWN_FILE = "fedcdi.json"
#: What goes wrong at a site, in words: a file beside it.
LOG_FILE = "fedcdi.log"
