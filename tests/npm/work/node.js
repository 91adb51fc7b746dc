// Worker threads, HTTP/2, fetch, cryptography, compression, the inspector, signals.
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
if (!isMainThread) {
	const counter = new Int32Array(workerData);
	for (let i = 0; i < 200000; i++) Atomics.add(counter, 0, 1);
	let s = 0;
	for (let i = 0; i < 3e6; i++) s = (s * 31 + i) | 0;
	parentPort.postMessage(s);
	return;
}
const http2 = require("http2"), http = require("http"), crypto = require("crypto"), fs = require("fs"), zlib = require("zlib"), { Session } = require("inspector");
const heard = (emitter, event) => new Promise(r => emitter.once(event, (...a) => r(a)));
(async () => {
	const shared = new SharedArrayBuffer(8);
	console.log(await Promise.all([1, 2, 3, 4].map(() => heard(new Worker(__filename, { workerData: shared }), "message"))), new Int32Array(shared)[0]);
	const spinning = new Worker("while(true){}", { eval: true });
	await heard(spinning, "online");
	console.log(await spinning.terminate());
	const h2 = http2.createServer().on("stream", (s, h) => { s.respond({ ":status": 200 }); s.end(h[":path"] + "x".repeat(100000)) });
	h2.listen(0, "127.0.0.1"); await heard(h2, "listening");
	const client = http2.connect("http://127.0.0.1:" + h2.address().port);
	console.log((await Promise.all([...Array(20).keys()].map(i => new Promise(r => { let n = 0; client.request({ ":path": "/" + i }).on("data", d => n += d.length).on("end", () => r(n)).end() })))).join());
	client.close(); h2.close();
	const server = http.createServer((q, r) => { let n = 0; q.on("data", d => n += d.length).on("end", () => r.end(q.method + n)) });
	server.listen(0, "127.0.0.1"); await heard(server, "listening");
	for (let i = 0; i < 3; i++) console.log(await (await fetch("http://127.0.0.1:" + server.address().port, { method: "POST", body: "z".repeat(i * 100000) })).text());
	server.close(); server.closeAllConnections();
	for (const h of ["md5", "sha1", "sha256", "sha512", "sha3-256", "blake2b512"]) console.log(h, crypto.createHash(h).update("abc".repeat(1000)).digest("hex").slice(0, 16));
	for (const c of ["aes-256-gcm", "aes-128-ctr", "chacha20-poly1305", "aes-256-cbc"]) {
		const { keyLength, ivLength } = crypto.getCipherInfo(c), e = crypto.createCipheriv(c, Buffer.alloc(keyLength, 7), Buffer.alloc(ivLength, 3), { authTagLength: 16 });
		console.log(c, Buffer.concat([e.update("q".repeat(999)), e.final()]).toString("hex").slice(-16));
	}
	const rsa = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
	console.log(crypto.verify("sha256", Buffer.from("m"), rsa.publicKey, crypto.sign("sha256", Buffer.from("m"), rsa.privateKey)), crypto.scryptSync("p", "s", 16).toString("hex"));
	const data = Buffer.from(Array.from({ length: 50000 }, (_, i) => i * i & 255));
	for (const m of ["gzip", "brotliCompress", "zstdCompress"]) console.log(m, zlib[m.replace("Comp", "Decomp").replace("gzip", "gunzip") + "Sync"](zlib[m + "Sync"](data)).equals(data));
	const changed = new Promise(r => { const w = fs.watch(".", (e, f) => { w.close(); r(f) }) });
	fs.writeFileSync("watched", "");
	console.log(await changed);
	const s = new Session(); s.connect();
	const post = (m, p) => new Promise((r, j) => s.post(m, p, (e, x) => e ? j(e) : r(x)));
	await post("Profiler.enable"); await post("Profiler.start");
	let q = 0; for (let i = 0; i < 2e7; i++) q += Math.sqrt(i);
	console.log((await post("Profiler.stop")).profile.nodes.length > 3, (await post("Runtime.evaluate", { expression: "6*7" })).result.value);
	process.on("SIGUSR2", () => { console.log("SIGUSR2"); process.exit(7) });
	process.kill(process.pid, "SIGUSR2");
	setTimeout(() => { }, 20000);
})();
