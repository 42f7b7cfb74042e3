import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FleetServers, fleetUrls } from './fleet-servers.ts';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

const running: http.Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on a port of its own that records its requests. */
async function serve(answer: Answer): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  running.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const fine: Answer = (_, response) => void response.end('{"fine":true}');
const starting: Answer = (_, response) =>
  void response.writeHead(503, { 'content-type': 'application/json' }).end('{"detail":"starting"}');
const breaksOff: Answer = (request) => void request.socket.destroy();
const CLOSED = 'http://127.0.0.1:1';

const get = { method: 'GET', path: '/x' };
const post = { method: 'POST', path: '/x', body: {} };

describe('several servers of one fleet', () => {
  it('a fleet server with a closed port is skipped for every method, and not tried first again', async () => {
    const good = await serve(fine);
    const servers = new FleetServers({ url: `${CLOSED}, ${good.url}/` });
    expect(servers.url).toBe(`${CLOSED},${good.url}`);
    expect(await servers.exchange(post)).toEqual({ fine: true });
    expect(await servers.exchange(get)).toEqual({ fine: true });
    expect(good.asked).toEqual(['POST /x', 'GET /x']);
    expect(servers.where).toBe(new URL(good.url).host);
  });

  it('a call that a fleet server may have accepted is not repeated; the next call goes to the next server', async () => {
    const [bad, good] = [await serve(breaksOff), await serve(fine)];
    const servers = new FleetServers({ url: `${bad.url},${good.url}` });
    await expect(servers.exchange(post)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('it is not known whether it accepted the request'),
    });
    expect(good.asked).toEqual([]);
    expect(await servers.exchange(post)).toEqual({ fine: true });
    expect(bad.asked).toEqual(['POST /x']);
  });

  it('a GET goes to the next fleet server when the first breaks off, is starting or is silent', async () => {
    for (const trouble of [breaksOff, starting, (() => {}) as Answer]) {
      const [bad, good] = [await serve(trouble), await serve(fine)];
      const servers = new FleetServers({ url: `${bad.url},${good.url}`, timeoutMs: 300 });
      expect(await servers.exchange(get)).toEqual({ fine: true });
      expect(bad.asked).toEqual(['GET /x']);
    }
  });

  it('a refusal of one fleet server is final: no other server is asked', async () => {
    const no = await serve((_, response) => void response.writeHead(403).end('{"detail":"no"}'));
    const good = await serve(fine);
    const servers = new FleetServers({ url: `${no.url},${good.url}` });
    await expect(servers.exchange(get)).rejects.toMatchObject({ code: 'forbidden' });
    expect(good.asked).toEqual([]);
  });

  it('when all fleet servers are away, the error names each of them once', async () => {
    const servers = new FleetServers({ url: `${CLOSED},http://127.0.0.1:2,${CLOSED}` });
    await expect(servers.exchange(get)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^none of the 2 fleet servers answers: .*127\.0\.0\.1:1; .*127\.0\.0\.1:2/,
      ),
    });
  });

  it('a fleet URL that is no address is refused, wherever it is in the list', () => {
    for (const text of ['', ',', `${CLOSED},`, `${CLOSED},ftp://x`, `${CLOSED},http://user:secret@x`])
      expect(() => fleetUrls(text)).toThrow('must look like');
  });
});
