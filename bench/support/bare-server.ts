import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes JSON and responds when `commit` is done: the minimum between a socket and a commit. */
export async function bareServer(
  commit: (body: unknown) => Promise<object>,
): Promise<{ port: number; close(): void }> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const answer = JSON.stringify(await commit(JSON.parse(String(Buffer.concat(parts)))));
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      });
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
