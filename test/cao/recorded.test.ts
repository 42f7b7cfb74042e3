import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';
import { type CaoVersion, StandInCao } from './stand-in-cao.ts';
import { SharedTmux, type StandInTerminal } from './stand-in-terminal.ts';

interface Recorded {
  name: string;
  method: string;
  path: string;
  query: Record<string, string> | null;
  status: number;
  body: unknown;
  sent?: unknown;
}

const recorded = (version: CaoVersion): Recorded[] =>
  JSON.parse(
    fs.readFileSync(path.join(import.meta.dirname, 'fixtures', `${version}.json`), 'utf8'),
  ) as Recorded[];

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
  // Without it the tmux server ends with its last session, perhaps just when the next one is made.
  world.tmux('new-session', '-d', '-s', 'stays', 'cat');
});
afterAll(async () => {
  await world.close();
});

/** Prepares a terminal for a recorded call. */
async function prepare({ name, body }: Recorded, terminal: StandInTerminal, cao: StandInCao): Promise<void> {
  const { status } = { status: 'idle', ...(body as { status?: string }) };
  if (status !== 'unknown') terminal.pretends = /blocked-by-error/.test(name) ? 'error' : status;
  // It reads the screen once it is still, and not a turn that another one has begun since.
  if (name === 'hidden-typing-status') terminal.latched = 'completed';
  if (name === 'hidden-typing-status') terminal.pretends = 'processing';
  if (name === 'inbox-list-busy') {
    terminal.pretends = 'processing';
    await ask(cao, `/terminals/${terminal.id}/inbox/messages?sender_id=d665de0f&message=m`, 'POST');
  }
  if (/window-renamed/.test(name))
    await terminal.place.tmux(['rename-window', '-t', terminal.target, 'mine']);
  if (/copy-mode/.test(name)) await terminal.place.tmux(['copy-mode', '-t', terminal.target]);
  if (/killed/.test(name)) await terminal.place.tmux(['kill-session', '-t', `=${terminal.session}`]);
  if (/restart/.test(name)) await cao.restart();
}

function ask(
  cao: StandInCao,
  target: string,
  method: string,
  headers: http.OutgoingHttpHeaders = {},
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { host: '127.0.0.1', port: cao.port, path: target, method, headers },
      (response) => {
        let text = '';
        response.on('data', (part) => (text += part));
        response.on('end', () => {
          const json = response.headers['content-type'] === 'application/json';
          resolve({ status: response.statusCode ?? 0, body: json ? JSON.parse(text) : text });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

/** Names and types of the fields; the text where it is CAO's own. */
function shape(value: unknown, key = ''): unknown {
  // Text that others wrote is not CAO's.
  if (['group', 'metadata', 'caller_id', 'agent_profile'].includes(key)) return 'any';
  if (Array.isArray(value)) return key === 'allowed_tools' ? 'list' : value.map((each) => shape(each, key));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, each]) => [name, shape(each, name)])
        .sort(),
    );
  if (typeof value === 'string' && ['status', 'service', 'provider', 'detail', 'msg', 'type'].includes(key))
    return plain(value);
  return value === null ? null : typeof value;
}

function plain(words: string): string {
  return words
    .replace(/\b[a-f0-9]{8}\b/g, 'ID')
    .replace(/cao_\w+/g, 'BUFFER')
    .replace(/'-r', /, '')
    .replace(/(cao|HOUMAO)-[\w-]+/g, 'SESSION')
    .replace(/developer-[a-f0-9]{4}/g, 'WINDOW');
}

/** A recording that this stand-in does not need. */
const target = ({ path: asked, query, name }: Recorded, { id, session }: StandInTerminal): string => {
  const known = asked.replace(/\/terminals\/(?!deadbeef)[a-f0-9]{8}/, `/terminals/${id}`);
  const there = known.replace(/\/sessions\/cao-(?!nope)[\w-]+/, `/sessions/${session}`);
  const long = (text: string): string => {
    const [, many] = /^<(\d+) chars>$/.exec(text) ?? [];
    return many === undefined ? text : 'x'.repeat(Number(many));
  };
  const pairs = Object.entries(query ?? {}).map(([field, text]): [string, string] => [field, long(text)]);
  const search = name === 'input-in-body' || pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${there}${search}`;
};

describe.each(['v1.1.1', 'v2.0.0', 'v2.4.1', 'main'] as const)('the stand-in for %s', (version) => {
  const cao = (): StandInCao => new StandInCao(new SharedTmux(world.socket, world.env), version);

  it.each(recorded(version).map((each) => [each.name, each] as const))(
    'a stand-in for CAO responds as recorded: %s',
    async (name, one) => {
      const server = await cao().start();
      const session = `cao-${version.replace(/\W/g, '')}-${name}`;
      const terminal = await server.terminal({ session, directory: world.directory, program: 'cat' });
      try {
        await prepare(one, terminal, server);
        const host =
          name === 'host-evil' ? 'evil.example' : name === 'host-ipv6-literal' ? '[::1]' : undefined;
        const said = await ask(server, target(one, terminal), one.method, host === undefined ? {} : { host });
        expect([said.status, shape(said.body)]).toEqual([one.status, shape(one.body)]);
      } finally {
        await server.stop();
        await terminal.place.tmux(['kill-session', '-t', `=${session}`]).catch(() => {});
      }
    },
  );
});
