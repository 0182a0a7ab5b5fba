import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeAddress } from './runtime';

/** The app of this example: an HTTP server that becomes healthy after READY_AFTER_MS. */
const readyAt = Date.now() + Number(process.env['READY_AFTER_MS'] ?? '0');

const server = createServer((request, response) => {
  if (request.url === '/health') {
    response.statusCode = Date.now() >= readyAt ? 200 : 503;
    response.end();
  } else {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ launch_id: String(process.pid) }));
  }
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  writeAddress(process.argv[2] ?? '', `http://127.0.0.1:${port}`);
});
