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

/** A server on a port of its own, with what it was asked. */
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
const NOBODY = 'http://127.0.0.1:1';

const get = { method: 'GET', path: '/x' };
const post = { method: 'POST', path: '/x', body: {} };

describe('several servers of one fleet', () => {
  it('one where nobody listens is passed over, whatever is asked, and not tried first again', async () => {
    const good = await serve(fine);
    const servers = new FleetServers({ url: `${NOBODY}, ${good.url}/` });
    expect(servers.url).toBe(`${NOBODY},${good.url}`);
    expect(await servers.exchange(post)).toEqual({ fine: true });
    expect(await servers.exchange(get)).toEqual({ fine: true });
    expect(good.asked).toEqual(['POST /x', 'GET /x']);
    expect(servers.where).toBe(new URL(good.url).host);
  });

  it('a call that may have been taken is not made twice; the next one goes elsewhere', async () => {
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

  it('a question is put to the next one when the first breaks off, starts or is silent', async () => {
    for (const trouble of [breaksOff, starting, (() => {}) as Answer]) {
      const [bad, good] = [await serve(trouble), await serve(fine)];
      const servers = new FleetServers({ url: `${bad.url},${good.url}`, timeoutMs: 300 });
      expect(await servers.exchange(get)).toEqual({ fine: true });
      expect(bad.asked).toEqual(['GET /x']);
    }
  });

  it('a refusal is an answer: nobody else is asked', async () => {
    const no = await serve((_, response) => void response.writeHead(403).end('{"detail":"no"}'));
    const good = await serve(fine);
    const servers = new FleetServers({ url: `${no.url},${good.url}` });
    await expect(servers.exchange(get)).rejects.toMatchObject({ code: 'forbidden' });
    expect(good.asked).toEqual([]);
  });

  it('when all are away, each is named, once', async () => {
    const servers = new FleetServers({ url: `${NOBODY},http://127.0.0.1:2,${NOBODY}` });
    await expect(servers.exchange(get)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^none of the 2 fleet servers answers: .*127\.0\.0\.1:1; .*127\.0\.0\.1:2/,
      ),
    });
  });

  it('what is no address is refused, wherever it stands in the list', () => {
    for (const text of ['', ',', `${NOBODY},`, `${NOBODY},ftp://x`, `${NOBODY},http://user:secret@x`])
      expect(() => fleetUrls(text)).toThrow('must look like');
  });
});
