"""threading, queues, locks, signals, timers, asyncio, multiprocessing, sockets."""
import asyncio, hashlib, multiprocessing, os, queue, select, signal, socket, socketserver, threading, time
def threads():
    q = queue.Queue(); lock = threading.Lock(); total = 0
    def work():
        nonlocal total
        while (x := q.get()) is not None:
            with lock: total += x
    ts = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in ts]; [q.put(i) for i in range(2000)]; [q.put(None) for _ in ts]; [t.join() for t in ts]
    print(total)
    got = []
    signal.signal(signal.SIGALRM, lambda *a: got.append("alrm"))
    signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(0.2)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]); os.kill(os.getpid(), signal.SIGUSR1)
    print(got, signal.sigpending(), signal.sigwait([signal.SIGUSR1]))
def square(x): return x * x
if __name__ == "__main__":
    threads()
    for how in ("fork", "spawn"):
        with multiprocessing.get_context(how).Pool(3) as pool:
            print(how, sum(pool.map(square, range(200))))
    m = multiprocessing.Manager().dict(); ps = [multiprocessing.Process(target=m.__setitem__, args=(i, i)) for i in range(3)]
    [p.start() for p in ps]; [p.join() for p in ps]; print(sorted(m.items()))
    class Echo(socketserver.StreamRequestHandler):
        def handle(self): self.wfile.write(self.rfile.readline().upper())
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as s:
        threading.Thread(target=s.serve_forever, daemon=True).start()
        for i in range(5):
            with socket.create_connection(s.server_address) as c:
                c.sendall(b"hello %d\n" % i); print(c.recv(100))
        s.shutdown()
    path = "/tmp/py.sock"; a = socket.socket(socket.AF_UNIX); a.bind(path); a.listen()
    b = socket.socket(socket.AF_UNIX); b.connect(path); c, _ = a.accept()
    print(a.getsockname(), b.getpeername(), os.path.exists(path)); os.unlink(path)
    threading.Thread(target=b.sendall, args=(b"x" * 100000,)).start()
    n = 0
    while n < 100000: n += len(c.recv(65536))
    print(n)
    e = select.epoll(); r, w = os.pipe(); e.register(r, select.EPOLLIN); os.write(w, b"!"); print([m for _, m in e.poll(1)])
    async def sub():
        p = await asyncio.create_subprocess_exec("echo", "async", stdout=asyncio.subprocess.PIPE)
        return (await p.communicate())[0], p.returncode
    print(asyncio.run(sub()))
    print(hashlib.sha256(b"x" * 1000000).hexdigest()[:16], hashlib.md5(b"").hexdigest())
