"""asyncio: a server, its clients, subprocesses, signals; processes of a pool; shared memory."""
import asyncio
import concurrent.futures
import multiprocessing.shared_memory
import os
import signal


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def ask(port, n):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"x" * n + b"\n")
    answer = await reader.readline()
    writer.close()
    return len(answer)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(await asyncio.gather(*(ask(port, n) for n in (1, 100, 40000))))
    children = [await asyncio.create_subprocess_exec("sh", "-c", f"cat; exit {n}", stdin=-1, stdout=-1) for n in range(4)]
    print([(await c.communicate(b"in"))[0] for c in children], [c.returncode for c in children])
    caught = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, caught.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(caught.wait(), 30)
    try:
        await asyncio.wait_for(asyncio.sleep(100), 0.1)
    except TimeoutError:
        print("timeout")


if __name__ == "__main__":
    asyncio.run(main())
    memory = multiprocessing.shared_memory.SharedMemory(create=True, size=64)
    with concurrent.futures.ProcessPoolExecutor(3) as pool:
        print(sum(pool.map(pow, range(50), [3] * 50)))
        print(pool.submit(len, bytes(memory.buf)).result())
    memory.buf[5] = 7
    other = multiprocessing.shared_memory.SharedMemory(memory.name)
    print(other.buf[5])
    other.close()
    memory.close()
    memory.unlink()
