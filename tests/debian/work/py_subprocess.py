"""subprocess, pipes, signals to children, process groups, pty."""
import os, pty, signal, subprocess, sys
print(subprocess.check_output(["uname", "-m"], text=True).strip())
print(subprocess.run(["sh", "-c", "cat; exit 3"], input="in\n", text=True, capture_output=True))
p = subprocess.Popen(["sleep", "9"]); p.terminate(); print(p.wait())
try:
    subprocess.run(["/nonexistent"])
except FileNotFoundError as e:
    print(e)
try:
    subprocess.run(["sleep", "9"], timeout=0.1)
except subprocess.TimeoutExpired as e:
    print("timeout", e.cmd)
p1 = subprocess.Popen(["seq", "1000"], stdout=subprocess.PIPE)
p2 = subprocess.Popen(["wc", "-l"], stdin=p1.stdout, stdout=subprocess.PIPE)
p1.stdout.close(); print(p2.communicate()[0], p1.wait())
print(subprocess.run([sys.executable, "-c", "import os; print(os.getpid() == os.getpgrp())"], start_new_session=True, capture_output=True).stdout)
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "tty | cut -c 1-9; stty size; exit 7"])
out = b""
try:
    while d := os.read(fd, 1000):
        out += d
except OSError:
    pass
print(out, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, b"child"); os._exit(0)
print(os.read(r, 10), os.wait()[1])
print(os.posix_spawn("/bin/true", ["true"], os.environ) > 0, os.wait()[1])
