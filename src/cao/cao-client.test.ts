import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { caoAddress } from './cao-address.ts';
import { CaoClient, isCaoTerminalId, takesCaoKey } from './cao-client.ts';

let server: http.Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function client(handler: Handler): Promise<CaoClient> {
  const listening = http.createServer(handler);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return new CaoClient(caoAddress(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`));
}

const responds =
  (status: number, body: unknown): Handler =>
  (_, response) => {
    response.writeHead(status);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const ID = '8f77eec0';

describe('where a CAO server may be', () => {
  it.each(['http://localhost:9889', 'http://127.0.0.1:9889', 'http://127.0.0.1'])(
    'the address %s is this host',
    (url) => {
      expect(caoAddress(url).baseUrl).toBe(url);
    },
  );

  it.each([
    'http://[::1]:9889',
    'http://10.0.0.1:9889',
    'https://127.0.0.1',
    'http://127.0.0.1/x',
    'nowhere',
  ])('the address %s is refused', (url) => {
    expect(() => caoAddress(url)).toThrow();
  });

  it('another name of this host is accepted only if it was named', () => {
    expect(caoAddress('http://box:9889', ['box'])).toMatchObject({ host: 'box', port: 9889 });
  });
});

describe('what is typed through it', () => {
  it.each([
    [200, { success: true }, { kind: 'asked' }],
    [200, { success: false }, { kind: 'unknown' }],
    [
      404,
      { detail: "Terminal 'x' not found" },
      { kind: 'refused', status: 404, why: "status 404: Terminal 'x' not found" },
    ],
    [409, { detail: 'ERROR state' }, { kind: 'refused', status: 409 }],
    [422, { detail: [{ msg: 'Field required' }] }, { kind: 'refused', why: 'status 422: Field required' }],
    [400, 'Invalid host header', { kind: 'refused', why: 'status 400: Invalid host header' }],
    [500, { detail: 'Failed to send input: …' }, { kind: 'unknown' }],
    [302, '', { kind: 'unknown' }],
  ])('typing through CAO reads the response %i %j', async (status, body, typed) => {
    expect(await (await client(responds(status, body))).input(ID, 'hello')).toMatchObject(typed);
  });

  it('typing through CAO is refused without a listener, and unknown when the response is lost', async () => {
    const there = await client((request) => request.socket.destroy());
    expect(await there.input(ID, 'x')).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/lost/) });
    server!.close();
    server = undefined;
    expect(await there.input(ID, 'x')).toMatchObject({ kind: 'refused', status: null });
  });

  it('typing through CAO puts the whole text into the query, with no Origin and no body', async () => {
    let seen: http.IncomingMessage | undefined;
    const there = await client((request, response) => {
      seen = request;
      responds(200, { success: true })(request, response);
    });
    const text = 'a&b=c? #“é”\n+%20';
    await there.input(ID, text);
    expect(new URL(seen!.url!, 'http://x').searchParams.get('message')).toBe(text);
    expect(seen!.headers.origin).toBeUndefined();
    expect(seen!.headers['content-length'] ?? '0').toBe('0');
  });

  it('typing through CAO refuses a text whose encoded form does not arrive whole', async () => {
    let asked = 0;
    const there = await client((request, response) => {
      asked++;
      responds(200, { success: true })(request, response);
    });
    await expect(there.input(ID, 'é'.repeat(10_001))).rejects.toThrow(/60000 bytes/);
    expect(asked).toBe(0);
    expect(await there.input(ID, 'é'.repeat(2000))).toEqual({ kind: 'asked' });
  });

  it('CAO presses only the keys of its alphabet', async () => {
    expect(['Escape', 'C-u', 'a', 'Enter'].every(takesCaoKey)).toBe(true);
    expect(['BSpace', 'F1', 'PageUp', 'Enter ; x', ''].some(takesCaoKey)).toBe(false);
    expect(isCaoTerminalId('8f77eec0')).toBe(true);
    expect(isCaoTerminalId('../health')).toBe(false);
  });
});

describe('what it says', () => {
  it.each([
    [
      { status: 'ok', service: 'cli-agent-orchestrator' },
      { kind: 'cao', backend: 'tmux' },
    ],
    [
      { service: 'cli-agent-orchestrator', terminal_backend: 'herdr' },
      { kind: 'cao', backend: 'herdr' },
    ],
    [{ houmao_service: 'houmao-server' }, { kind: 'other', service: 'houmao-server' }],
    ['hello', { kind: 'other', service: undefined }],
  ])('the health of a CAO server is read from %j', async (body, health) => {
    expect(await (await client(responds(200, body))).health()).toEqual(health);
  });

  it('what a CAO server can do is read from its routes, once', async () => {
    let asked = 0;
    const there = await client((request, response) => {
      asked++;
      responds(200, { info: { version: '0.1.0' }, paths: { '/terminals/{terminal_id}/key': {} } })(
        request,
        response,
      );
    });
    expect(await there.abilities()).toEqual({ key: true });
    expect(await there.abilities()).toEqual({ key: true });
    expect(asked).toBe(1);
    expect(await (await client(responds(200, { paths: {} }))).abilities()).toEqual({ key: false });
    expect(await (await client(responds(404, {}))).abilities()).toBeUndefined();
  });

  it('a CAO terminal is known, unknown or unreachable', async () => {
    const known = {
      id: ID,
      name: 'developer-a07d',
      session_name: 'cao-x',
      provider: 'mock_cli',
      status: null,
    };
    expect(await (await client(responds(200, known))).terminal(ID)).toMatchObject({
      kind: 'known',
      status: null,
    });
    expect(await (await client(responds(404, { detail: 'no' }))).terminal(ID)).toEqual({ kind: 'unknown' });
    expect(
      await (await client(responds(500, { detail: 'Failed to get terminal: ' }))).terminal(ID),
    ).toMatchObject({
      kind: 'unreachable',
    });
    expect(await (await client(responds(200, []))).terminal(ID)).toMatchObject({ kind: 'unreachable' });
  });

  it('mail that waits in CAO is reported', async () => {
    expect(await (await client(responds(200, [{ id: 1 }]))).hasPendingMail(ID)).toBe(true);
    expect(await (await client(responds(200, []))).hasPendingMail(ID)).toBe(false);
    expect(await (await client(responds(500, ''))).hasPendingMail(ID)).toBeUndefined();
  });
});
