import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of another origin, with one page. */
export async function startBare(html: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
