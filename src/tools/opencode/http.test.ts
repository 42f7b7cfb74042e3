import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Emitter, identifyProcess, systemClock } from '../../base/index.ts';
import { OpencodeHttp, opencodePort } from './http.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A stand-in for opencode's server whose responses the test sets. */
async function serverOf(
  status: () => string,
): Promise<{ port: number; event: () => void; hangUp: () => void }> {
  const streams = new Set<http.ServerResponse>();
  const server = http.createServer((request, response) => {
    if (request.url !== '/event') return void response.end(status());
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    event: () => streams.forEach((stream) => void stream.write('data: {}\n\n')),
    hangUp: () => streams.forEach((stream) => void stream.destroy()),
  };
}

function follow(port: number): { reader: OpencodeHttp; changed: Emitter<void> } {
  const changed = new Emitter<void>();
  const reader = new OpencodeHttp(
    systemClock,
    () => changed.emit(),
    () => port,
  );
  ending.push(() => reader.close());
  return { reader, changed };
}

const tool = identifyProcess(process.pid)!;

describe('the port of opencode', () => {
  it("opencode's port reports busy and idle as its events arrive, and nothing when it is gone", async () => {
    let status = '{}';
    const server = await serverOf(() => status);
    const { reader, changed } = follow(server.port);
    expect(reader.read()).toEqual([]);
    const first = changed.next();
    reader.follow(tool);
    await first;
    expect(reader.read()).toMatchObject([{ state: 'idle' }]);
    status = '{"ses_1": {"type": "busy"}}';
    const second = changed.next();
    server.event();
    await second;
    expect(reader.read()).toMatchObject([{ state: 'busy' }]);
    const third = changed.next();
    server.hangUp();
    await third;
    expect(reader.read()).toEqual([]);
  });

  it.each(['', '[]', 'null', '<html>'])("opencode's port has no state if it returns %j", async (answer) => {
    let asked: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await serverOf(() => {
      asked();
      return answer;
    });
    const { reader } = follow(server.port);
    reader.follow(tool);
    await answered;
    expect(reader.read()).toEqual([]);
  });

  it.each<[string[], number | undefined]>([
    [['--port', '4096'], 4096],
    [['--model', 'x', '--port=77'], 77],
    [['--port'], undefined],
    [['--port', 'abc'], undefined],
    [['--port', '0'], undefined],
    [[], undefined],
  ])("opencode's port is read from the arguments %j", (args, port) => {
    expect(opencodePort(args)).toBe(port);
  });
});
