declare var self: any;
self.onmessage = (e: any) => { let s = 0; for (let i = 0; i < 2e6; i++) s = (s * 31 + i * e.data) | 0; self.postMessage(s) };
