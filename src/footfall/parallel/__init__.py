"""The one place for parallel work: serial, threads, processes, or a cluster of Dask, all through one small protocol.

for done in stream(function, items):          # lists of (item, result), as they finish
    ...
with ff.parallel.use("tcp://10.0.0.5:8786"):  # the same on a cluster
    ff.sweep(...)
"""

from footfall.parallel.executors import Executor, Processes, Serial, Threads, cores
from footfall.parallel.place import chosen, use
from footfall.parallel.stream import stream
