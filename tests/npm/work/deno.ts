// A server with web sockets, workers, calls to C and back, cryptography, SQLite, signals.
import { DatabaseSync } from "node:sqlite";
const stop = new AbortController();
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen() { } }, async r => {
	if (r.headers.get("upgrade") != "websocket") return new Response((await r.text()).length + new URL(r.url).pathname);
	const { socket, response } = Deno.upgradeWebSocket(r); socket.onmessage = e => socket.send("echo " + e.data); return response;
});
const port = (server.addr as Deno.NetAddr).port;
console.log(...await Promise.all([...Array(20).keys()].map(async i => (await fetch(`http://127.0.0.1:${port}/${i}`, { method: "POST", body: "x".repeat(i * 5000) })).text())));
console.log(await new Promise(r => { const w = new WebSocket(`ws://127.0.0.1:${port}/`); w.onopen = () => w.send("hi"); w.onmessage = e => { r(e.data); w.close() } }));
stop.abort(); await server.finished;
console.log(await Promise.all([1, 2, 3].map(i => new Promise(r => { const w = new Worker(new URL("./worker.ts", import.meta.url).href, { type: "module" }); w.onmessage = e => { r(e.data); w.terminate() }; w.postMessage(i) }))));
const libc = Deno.dlopen("libc.so.6", { abs: { parameters: ["i32"], result: "i32" }, qsort: { parameters: ["buffer", "usize", "usize", "function"], result: "void" } } as const).symbols;
const a = new Int32Array([5, 3, 9, 1]), compare = new Deno.UnsafeCallback({ parameters: ["pointer", "pointer"], result: "i32" } as const, (x, y) => new Deno.UnsafePointerView(x!).getInt32() - new Deno.UnsafePointerView(y!).getInt32());
libc.qsort(a, 4n, 4n, compare.pointer); compare.close();
let sum = 0; for (let i = 1; i < 1e6; i++) sum += libc.abs(-i);
console.log(a.join(), sum);
const k = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]), how = { name: "ECDSA", hash: "SHA-256" };
console.log(await crypto.subtle.verify(how, k.publicKey, await crypto.subtle.sign(how, k.privateKey, new Uint8Array(5)), new Uint8Array(5)));
console.log((await new Response(new Blob(["hello".repeat(1000)]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"))).text()).length);
const db = new DatabaseSync(":memory:"); db.exec("create table t(a)"); for (let i = 0; i < 100; i++) db.prepare("insert into t values(?)").run(i);
console.log(db.prepare("select sum(a) s from t").get()!.s);
Deno.addSignalListener("SIGUSR2", () => { console.log("SIGUSR2"); Deno.exit(9) });
Deno.kill(Deno.pid, "SIGUSR2"); await new Promise(r => setTimeout(r, 20000));
