import * as net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../../test/support/answers.ts';
import {
  type FuzzedGateway,
  openFuzzedGateway,
  REFUSED_BY_GATEWAY,
} from '../../../test/support/fuzzed-gateway.ts';
import { gatewayBodies } from '../../../test/support/good-bodies.ts';
import { fuzzRoutes } from '../../../test/support/route-fuzz.ts';
import { Ending } from '../../base/index.ts';
import { ensureAgentToken } from '../../client/index.ts';
import { GATEWAY_ROUTES, openApiDocument } from '../../wire/index.ts';
import type { TestGateway } from '../testing.ts';

const COUNT = process.env['ROUSE_PROOF'] === 'full' ? 10_000 : 500;

const ending = new Ending();
let fuzzed: FuzzedGateway;
let on: TestGateway;

beforeAll(async () => {
  fuzzed = await openFuzzedGateway(ending);
  on = fuzzed.on;
});
afterAll(() => ending.run());

describe('hostile input', () => {
  it(`${COUNT} spoilt requests over every route: no 5xx, no change on refusal, every answer is documented, the process lives`, {
    timeout: 1_800_000,
  }, async () => {
    const { letter, reminder, request, quiet } = fuzzed;
    const agent = {
      authorization: `Bearer ${ensureAgentToken(on.root)}`,
      accept: 'application/json, text/event-stream',
    };
    const nothing = { workspace: '', request: '', queued: '', token: '', directory: '' };
    const { statuses, passed } = await fuzzRoutes(
      {
        routes: GATEWAY_ROUTES,
        document: openApiDocument() as unknown as OpenApi,
        bodies: gatewayBodies({ ...nothing, agent: '', address: 'peer@test', message: letter }, 'x'),
        port: on.gateway.port,
        headersFor: ({ id }) => (id === 'mcp' ? agent : {}),
        known: (_, parameter) => (parameter === 'reminder_id' ? reminder : request),
        refused: REFUSED_BY_GATEWAY,
        quiet,
      },
      COUNT,
    );
    expect((await on.call('GET', '/health')).body).toMatchObject({ status: 'ok', failing_loops: [] });
    // Checks the generator itself: enough requests are accepted, and enough are refused.
    expect(passed).toBeGreaterThan(0.1);
    expect(passed).toBeLessThan(0.8);
    for (const status of [403, 404, 405, 415, 422]) expect([...statuses.keys()]).toContain(status);
  });

  it.each([
    ['no Host', 'GET /v1/status HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc',
    ],
    [
      'length and chunks',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /v1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['an unknown method', 'BREW /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['a folded header', 'GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: 1\r\n 2\r\n\r\n'],
    ['an absolute address', 'GET http://evil.example/v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['a huge header', `GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ])('%s is refused at the door, and changes nothing', async (_what, bytes) => {
    const before = await fuzzed.quiet();
    const answer = await new Promise<string>((resolve) => {
      const socket = net.connect(on.gateway.port, '127.0.0.1', () => socket.write(bytes));
      let got = '';
      socket.on('data', (part) => {
        got += part;
        socket.end();
      });
      socket.on('error', () => resolve(got));
      socket.on('close', () => resolve(got));
    });
    expect(answer === '' ? 400 : Number(answer.split(' ')[1])).toSatisfy(
      (status: number) => status >= 400 && status < 500,
    );
    expect(await fuzzed.quiet()).toBe(before);
    expect((await on.call('GET', '/health')).status).toBe(200);
  });
});
