"""Samples the stacks of another Python 3.11, as profilers such as py-spy do from outside: the
program's mappings and symbols from /proc, its threads stopped with ptrace(2), its
memory read with process_vm_readv(2)."""
import ctypes, os, struct, subprocess, sys, time

VICTIM = """
import threading, time
def sleeper():
    time.sleep(100)
def inner(n):
    return sum(i * i for i in range(n))
def outer():
    while True:
        inner(1000)
threading.Thread(target=sleeper, daemon=True).start()
print("ready", flush=True)
outer()
"""
ATTACH, DETACH, WALL = 16, 17, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


def read(pid, addr, size):
    buf = ctypes.create_string_buffer(size)
    here, there = Iovec(ctypes.addressof(buf), size), Iovec(addr, size)
    n = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if n != size:
        raise OSError(ctypes.get_errno(), "process_vm_readv at %#x" % addr)
    return buf.raw


def word(pid, addr):
    return struct.unpack("<Q", read(pid, addr, 8))[0]


def symbol(pid, name):
    """The address of a dynamic symbol of the program that pid runs."""
    exe = os.readlink("/proc/%d/exe" % pid)
    with open("/proc/%d/maps" % pid) as maps:
        start = min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(exe))
    with open("/proc/%d/exe" % pid, "rb") as f:
        elf = f.read()
    phoff, shoff = struct.unpack_from("<QQ", elf, 32)
    phnum, _, shnum = struct.unpack_from("<HHH", elf, 56)
    heads = [struct.unpack_from("<IIQQQQQQ", elf, phoff + 56 * i) for i in range(phnum)]
    low = min(h[3] for h in heads if h[0] == 1) & ~0xfff
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, shoff + 64 * i) for i in range(shnum)]
    for s in sections:
        if s[1] != 11:  # SHT_DYNSYM
            continue
        strings = sections[s[6]][4]
        for at in range(s[4], s[4] + s[5], 24):
            text, value = struct.unpack_from("<I4xQ", elf, at)
            if elf[strings + text:strings + text + len(name) + 1] == name + b"\0":
                return start - low + value


def names(pid, frame):
    """The functions of a stack, innermost first."""
    while frame:
        code = word(pid, frame + 32)
        name = word(pid, code + 120)
        yield read(pid, name + 48, word(pid, name + 16)).decode()
        frame = word(pid, frame + 48)


def sample(pid, runtime):
    tids = [int(t) for t in os.listdir("/proc/%d/task" % pid)]
    for tid in tids:
        if libc.ptrace(ATTACH, tid, None, None) != 0:
            raise OSError(ctypes.get_errno(), "PTRACE_ATTACH")
        os.waitpid(tid, WALL)
    states = {open("/proc/%d/task/%d/stat" % (pid, tid)).read().split()[2] for tid in tids}
    stacks = {}
    thread = word(pid, word(pid, runtime + 40) + 16)
    while thread:
        tid = word(pid, thread + 160)
        stacks["main" if tid == pid else "other"] = list(names(pid, word(pid, word(pid, thread + 56) + 8)))
        thread = word(pid, thread + 8)
    for tid in tids:
        libc.ptrace(DETACH, tid, None, None)
    return states, stacks


with subprocess.Popen([sys.executable, "-c", VICTIM], stdout=subprocess.PIPE) as victim:
    try:
        victim.stdout.readline()
        runtime = symbol(victim.pid, b"_PyRuntime")
        seen = {"main": set(), "other": set()}
        for _ in range(50):
            states, stacks = sample(victim.pid, runtime)
            for who, stack in stacks.items():
                seen[who].update(stack)
            time.sleep(0.01)
        print(sorted(states), victim.poll())
        for who in sorted(seen):
            print(who, *sorted(seen[who]))
        print("the main thread's last:", *stacks["main"][-2:])
    finally:
        victim.kill()
print(victim.wait())
