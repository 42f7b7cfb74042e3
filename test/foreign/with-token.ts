import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy to our server for programs that cannot send a token: passes everything on and adds the token. */
export interface WithToken {
  url: string;
  close(): Promise<void>;
}

export async function withToken(target: string, token: string): Promise<WithToken> {
  const { hostname, port } = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = [...request.rawHeaders, 'Authorization', `Bearer ${token}`];
    const onward = http.request({
      ...{ hostname, port, method: request.method, path: request.url, headers, setHost: false, agent: false },
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
