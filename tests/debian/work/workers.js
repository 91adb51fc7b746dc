const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
const http = require('http');

if (!isMainThread) {
  const shared = new Int32Array(workerData);
  for (let i = 0; i < 10000; i++) Atomics.add(shared, 0, 1);
  parentPort.postMessage(Atomics.load(shared, 1));
} else {
  const memory = new SharedArrayBuffer(8), shared = new Int32Array(memory);
  let ended = 0;
  for (let i = 0; i < 4; i++) {
    new Worker(__filename, { workerData: memory }).on('exit', (code) => {
      if (++ended < 4) return;
      console.log(shared[0], code);
      const server = http.createServer((request, response) => response.end(request.url)).listen(0, async () => {
        const answers = await Promise.all([1, 2, 3].map(async (n) => (await fetch(`http://127.0.0.1:${server.address().port}/${n}`)).text()));
        console.log(answers.join());
        process.exit(0);
      });
    });
  }
}
