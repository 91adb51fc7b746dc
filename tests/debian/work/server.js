// An HTTP server and its client, with a worker thread and a child process.
const http = require('http');
const { Worker, isMainThread, parentPort } = require('worker_threads');
const { execFileSync } = require('child_process');
if (!isMainThread) {
  parentPort.postMessage(Array.from({ length: 1000 }, (_, i) => i * i).reduce((a, b) => a + b));
} else {
  const server = http.createServer((req, res) => {
    let body = '';
    req.on('data', (d) => (body += d));
    req.on('end', () => res.end(req.method + ' ' + req.url + ' ' + body.length));
  });
  server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    for (let i = 0; i < 20; i++) {
      await new Promise((done) => {
        const r = http.request({ host: '127.0.0.1', port, method: 'POST', path: '/p' + i, agent: false }, (res) => {
          let s = '';
          res.on('data', (d) => (s += d));
          res.on('end', () => { if (i % 5 === 0) console.log(res.statusCode, s); done(); });
        });
        r.end('x'.repeat(i * 1000));
      });
    }
    server.close();
    new Worker(__filename).on('message', (m) => {
      console.log('worker', m);
      console.log(execFileSync('uname', ['-m']).toString().trim());
      console.log(process.arch, [3, 1, 2].sort(), /(\d+)-(\d+)/.exec('a12-34').slice(1), 0.1 + 0.2, 2n ** 100n);
    });
  });
}
