"""Whether something lets other threads run meanwhile, as a server needs whose groups are found in a thread."""

from threading import Thread
from time import perf_counter, sleep


def longest_hold(work, attempts=5):
    """Return the longest that another thread waited for the interpreter, as a share of the time that `work()` took.

    A machine that is busy makes threads wait, too: the best of a few attempts is told.
    """
    return min(_held(work) for _ in range(attempts))


def _held(work):
    thread, longest = Thread(target=work), 0.0
    begun = last = perf_counter()
    thread.start()
    while thread.is_alive():
        sleep(0.001)
        longest, last = max(longest, perf_counter() - last), perf_counter()
    return longest / (last - begun)
