// A server with web sockets, SQLite, workers, C compiled in memory, callbacks from C, the bundler.
import { Database } from "bun:sqlite";
import { dlopen, JSCallback, cc, read } from "bun:ffi";
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", async fetch(r, s) { if (s.upgrade(r)) return; return new Response((await r.text()).length + new URL(r.url).pathname) }, websocket: { message(w, m) { w.send("echo " + m) } } });
console.log(...await Promise.all([...Array(20).keys()].map(async i => (await fetch(`http://127.0.0.1:${server.port}/${i}`, { method: "POST", body: "x".repeat(i * 5000) })).text())));
console.log(await new Promise(r => { const w = new WebSocket(`ws://127.0.0.1:${server.port}/`); w.onopen = () => w.send("hi"); w.onmessage = e => { r(e.data); w.close() } }));
server.stop(true);
const db = new Database(":memory:"); db.run("create table t(a, b)");
const insert = db.prepare("insert into t values(?, ?)"); db.transaction(() => { for (let i = 0; i < 5000; i++) insert.run(i, "v" + i) })();
console.log(JSON.stringify(db.query("select count(*) c, sum(a) s, max(b) m from t where a % 3 = 0").get()));
console.log(await Promise.all([1, 2, 3].map(i => new Promise(r => { const w = new Worker(new URL("./worker.ts", import.meta.url).href); w.onmessage = e => { r(e.data); w.terminate() }; w.postMessage(i) }))));
for (const h of ["sha256", "sha512", "md5", "blake2b256"] as const) console.log(h, new Bun.CryptoHasher(h).update("abc").digest("hex").slice(0, 16));
console.log(Bun.hash.crc32("abc"), Bun.gunzipSync(Bun.gzipSync(Buffer.alloc(100000, 65))).length, await Bun.password.verify("p", await Bun.password.hash("p", { algorithm: "argon2id", memoryCost: 64, timeCost: 1 })));
const libc = dlopen("libc.so.6", { abs: { args: ["i32"], returns: "i32" }, qsort: { args: ["ptr", "u64", "u64", "function"], returns: "void" } }).symbols;
const a = new Int32Array([5, 3, 9, 1]), compare = new JSCallback((x: any, y: any) => read.i32(x) - read.i32(y), { args: ["ptr", "ptr"], returns: "i32" });
libc.qsort(a, 4, 4, compare.ptr); console.log(a.join(), libc.abs(-5));
console.log((await Bun.build({ entrypoints: [import.meta.dir + "/worker.ts"], minify: true })).success);
for (let i = 0; i < 50; i++) Bun.gc(true);
process.exit(3);
