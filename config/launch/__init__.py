"""Starting, watching and stopping the processes: `python -m config.launch up`.

`up` is the whole product on one machine. `prepare`, `web`, `worker` and `beat` are its parts, for
those who start each by a service manager of their own; `status` and `backup` look at what runs.
"""
