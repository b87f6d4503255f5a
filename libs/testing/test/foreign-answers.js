// A service that never listens, while another process answers at its port as if it were ready. It ends when it has seen that.
const { fork } = require('node:child_process');
const { createServer } = require('node:http');

const port = Number(process.env.GREETING_PORT);
if (process.send) {
  createServer((_, response) => response.end(JSON.stringify({ pid: process.pid }))).listen(
    port,
    '127.0.0.1',
    () => process.send('listening'),
  );
} else {
  fork(__filename).once('message', async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`);
    console.log('answered', status);
    setTimeout(() => process.exit(3), 200);
  });
}
