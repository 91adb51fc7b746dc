"""A shell with a terminal: interrupts, stops and goes on with its jobs."""
import os
import pty
import re
import select
import signal
import time

pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "> "
    os.execv("/bin/bash", ["bash", "--norc", "--noprofile", "-i"])

seen = b""


def expect(pattern):
    global seen
    end = time.time() + 60
    while not (m := re.search(pattern, seen)):
        if not select.select([fd], [], [], max(end - time.time(), 0))[0]:
            raise SystemExit(f"no {pattern} in {seen}")
        seen += os.read(fd, 4096)
    seen = seen[m.end():]
    return m


def send(text):
    os.write(fd, text)


send(b"bind 'set enable-bracketed-paste off'; echo read''y\n")
expect(rb"\nready")
send(b"cat; echo st=$?\n")
time.sleep(1)
send(b"line\n")
expect(rb"line")
send(b"\x03")
time.sleep(0.5)
send(b"echo st=$?\n")
expect(rb"st=130")
print("interrupted")
send(b"sleep 100\n")
time.sleep(1)
send(b"\x1a")
expect(rb"Stopped")
print("stopped")
send(b"jobs -p\n")
job = int(expect(rb"\n(\d+)\r")[1])
send(b"fg; echo st=$?\n")
time.sleep(1)
os.kill(job, signal.SIGTERM)
expect(rb"st=143")
print("ended")
send(b"cat\n")
time.sleep(1)
send(b"\x04exit 7\n")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
