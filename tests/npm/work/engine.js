// What keeps an engine's compilers and collector busy: changing shapes, doubles, big integers,
// regular expressions, deep recursion, generators, maps, garbage.
function shapes(o) { return o.x + (o.y || 0) }
let t = 0;
for (let i = 0; i < 3e6; i++) { t += shapes(i & 1 ? { x: i } : i & 2 ? { x: 1, y: i } : { y: 2, x: i, z: 3 }); t %= 1e9 }
console.log("shapes", t);
{ let s = 0; const f = new Float64Array(1000); for (let k = 0; k < 2000; k++) for (let i = 0; i < 1000; i++) { f[i] = f[i] * 0.5 + Math.sqrt(i * k); s += f[i] | 0 } console.log("doubles", s | 0) }
{ let s = 0n; for (let i = 0n; i < 20000n; i++) s = (s * 31n + i) % 1000000007n; console.log("big", s, (2n ** 521n - 1n) % 1000000007n) }
{ let depth = 0; const deep = () => { depth++; deep() }; try { deep() } catch (e) { console.log(e.constructor.name, depth > 1000) } }
console.log(/(?<y>\d{4})-(?<m>\d\d)/u.exec("on 2024-05").groups.y, "a-b-c".replaceAll(/-(\w)/g, (_, c) => c.toUpperCase()), "aaaa".repeat(5000).match(/(a|b)+$/)[0].length);
{ const count = function* () { for (let i = 0; i < 1e5; i++) yield i }; let s = 0; for (const x of count()) s += x; console.log("generator", s) }
{ const a = []; for (let i = 0; i < 300; i++) a.push(new Array(10000).fill(i)); console.log("garbage", a.length) }
{ const m = new Map(); for (let i = 0; i < 2e5; i++) m.set("k" + i, i); let s = 0; for (const [, v] of m) s += v; console.log("map", s) }
console.log(JSON.stringify(JSON.parse(JSON.stringify([...Array(1000)].map((_, i) => ({ i, s: "é" + i, f: i / 3 }))))).length);
console.log(new Float32Array([1e40, NaN, 0.1]).join(), Math.fround(5.05), Math.expm1(1e-10), Math.atan2(-0, -0), (1e21).toString(36), 0.1 + 0.2);
console.log(new Intl.DateTimeFormat("de-DE", { dateStyle: "full", timeZone: "Asia/Tokyo" }).format(new Date(0)), ["z", "ä", "a"].sort(new Intl.Collator("sv").compare).join(), "straße".toUpperCase(), "İ".toLocaleLowerCase("tr"));
