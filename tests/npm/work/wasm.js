// A WebAssembly module put together here: loops of all number types, SIMD, calls, traps. They run
// long enough for each tier of an engine's compilers.
const leb = n => { const o = []; do { let b = n & 127; n >>>= 7; if (n) b |= 128; o.push(b) } while (n); return o };
const sleb = n => { const o = []; for (;;) { const b = n & 127; n >>= 7; if (n == 0 && !(b & 64) || n == -1 && b & 64) { o.push(b); return o } o.push(b | 128) } };
const section = (id, body) => [id, ...leb(body.length), ...body];
const i32 = 0x7f, i64 = 0x7e, f64 = 0x7c, v128 = 0x7b, end = 0x0b;
const code = (locals, body) => { const x = [locals.length, ...locals.flatMap(l => [1, l]), ...body, end]; return [...leb(x.length), ...x] };
const simd = n => [0xfd, ...leb(n)];
const again = [0x20, 1, 0x41, 1, 0x6a, 0x22, 1, 0x20, 0, 0x48, 0x0d, 0, end]; // count local 1 up to the argument
const functions = [
	[0, code([i32, i32], [3, 0x40, 0x20, 1, 0x41, 4, 0x6c, 0x41, ...sleb(0xfffc), 0x71, 0x20, 1, 0x20, 2, 0x6a, 0x36, 2, 0, // store and load
		0x20, 2, 0x20, 1, 0x41, 8, 0x6c, 0x41, ...sleb(0xfffc), 0x71, 0x28, 2, 0, 0x6a, 0x41, 5, 0x77, 0x21, 2, ...again, 0x20, 2])],
	[1, code([i32, f64], [3, 0x40, 0x20, 2, 0x20, 1, 0xb7, 0x9f, 0xa0, 0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0xa2, 0x9c, 0x21, 2, ...again, 0x20, 2])], // sqrt, floor
	[0, code([i32, v128], [3, 0x40, 0x20, 2, 0x20, 1, ...simd(17), ...simd(174), 0x20, 2, ...simd(181), 0x20, 1, ...simd(17), ...simd(81), 0x21, 2, ...again, 0x20, 2, ...simd(27), 2])],
	[0, code([], [0x20, 0, 0x41, 2, 0x48, 4, i32, 0x20, 0, 5, 0x20, 0, 0x41, 1, 0x6b, 0x10, 3, 0x20, 0, 0x41, 2, 0x6b, 0x10, 3, 0x6a, end])], // Fibonacci
	[2, code([i64], [3, 0x40, 0x20, 1, 0x20, 0, 0x7c, 0x42, 7, 0x89, 0x20, 0, 0x42, 3, 0x84, 0x80, 0x20, 0, 0x42, 13, 0x7e, 0x85, 0x21, 1, 0x20, 0, 0x42, 1, 0x7d, 0x22, 0, 0x42, 0, 0x52, 0x0d, 0, end, 0x20, 1])], // divide, rotate
	[0, code([], [0x20, 0, 0x20, 0, 0x41, 1, 0x71, 0x11, 0, 0])], // call_indirect
	[0, code([], [0x20, 0, 0x28, 2, 0])], // load
	[0, code([], [0x41, ...sleb(100), 0x20, 0, 0x6d])], // 100 / n
];
const module_ = new WebAssembly.Module(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
	...section(1, [3, 0x60, 1, i32, 1, i32, 0x60, 1, i32, 1, f64, 0x60, 1, i64, 1, i64]),
	...section(3, [functions.length, ...functions.map(f => f[0])]), ...section(4, [1, 0x70, 0, 2]), ...section(5, [1, 1, 1, 4]),
	...section(7, [functions.length, ...functions.flatMap((_, i) => [2, 0x66, 0x30 + i, 0, i])]),
	...section(9, [1, 0, 0x41, 0, end, 2, 3, 7]), ...section(10, [functions.length, ...functions.flatMap(f => f[1])])]));
const f = new WebAssembly.Instance(module_).exports;
console.log(f.f0(3000000), f.f1(2000000), f.f2(1000000), f.f3(27), String(f.f4(1000000n)));
console.log([...Array(20).keys()].map(n => f.f5(n)).join());
for (const trap of [() => f.f6(1 << 24), () => f.f7(0), () => f.f7(7)]) {
	try { console.log(trap()) } catch (e) { console.log(e instanceof WebAssembly.RuntimeError) }
}
