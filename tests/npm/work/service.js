import crypto from "node:crypto";
export class Counter {
	constructor(state) { this.storage = state.storage }
	async fetch() { const n = (await this.storage.get("n") || 0) + 1; await this.storage.put("n", n); return new Response("" + n) }
}
export default { async fetch(request, env) {
	const n = await (await env.C.get(env.C.idFromName("a")).fetch("http://x/")).text();
	let s = 0; for (let i = 0; i < 1e6; i++) s = (s * 31 + i) | 0;
	const page = await new HTMLRewriter().on("b", { element(e) { e.setInnerContent("new") } }).transform(new Response("<a><b>x</b></a>", { headers: { "content-type": "text/html" } })).text();
	return new Response(`${new URL(request.url).pathname} ${n} ${s} ${crypto.createHash("sha256").update("abc").digest("hex").slice(0, 8)} ${page}\n`);
} };
