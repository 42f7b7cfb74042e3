import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';

describe('rouse requests', () => {
  let fleet: TestFleet;
  let home: string;
  let ben: TestAgent;
  const files: Record<string, string> = {};

  beforeAll(async () => {
    fleet = await startFleet();
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-requests-'));
    ben = await fleet.agent('ben');
    for (const [name, token] of Object.entries({ ...fleet.tokens, ben: ben.token })) {
      files[name] = path.join(home, `${name}.token`);
      fs.writeFileSync(files[name], token, { mode: 0o600 });
    }
  });
  afterAll(async () => {
    await fleet?.stop();
    fs.rmSync(home, { recursive: true, force: true });
  });

  interface Output {
    code: number;
    out: string;
    err: string;
  }

  async function rouse(
    who: string,
    args: string[],
    {
      signal = new AbortController().signal,
      onOut,
      stdin,
      env = {},
    }: {
      signal?: AbortSignal;
      onOut?: (text: string) => void;
      stdin?: string;
      env?: NodeJS.ProcessEnv;
    } = {},
  ): Promise<Output> {
    const output = { out: '', err: '' };
    const code = await runCli({
      argv: ['requests', ...args],
      env: { HOME: home, ROUSE_FLEET_URL: fleet.url, ROUSE_FLEET_TOKEN_FILE: files[who], ...env },
      stdout: {
        write(text) {
          output.out += text;
          onOut?.(text);
        },
        isTTY: false,
      },
      stderr: {
        write(text) {
          output.err += text;
        },
        isTTY: false,
      },
      stdin: async () => stdin ?? '',
      stdinIsTty: stdin === undefined,
      signal,
    });
    return { code, ...output };
  }
  const json = async (who: string, ...args: string[]) =>
    JSON.parse((await rouse(who, [...args, '--print-json'])).out);
  const ask = async (...more: string[]): Promise<string> =>
    (await json('user', 'create', '--to-agent', 'ben', '--title', 'look', ...more)).request_id;

  it('rouse requests asks, lists, shows, writes, answers and withdraws', async () => {
    const made = await rouse('user', [
      'create',
      '--to-agent',
      'ben',
      '--title',
      'Review the parser',
      '--priority',
      '7',
    ]);
    expect(made).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Asked: [0-9a-f-]{36} \(pending\)\n$/),
    });
    const id = made.out.split(' ')[1]!;
    const inbox = await rouse('ben', ['inbox']);
    expect(inbox.out).toMatch(/^ID +PRI +KIND +STATUS +FROM +ASKED +TITLE/);
    expect(inbox.out).toMatch(
      new RegExp(`^${id} +7 +task +pending +ana +(now|\\d+ s ago) +Review the parser$`, 'm'),
    );
    expect(inbox.out).toContain('1 open');
    expect((await rouse('ben', ['message', id], { stdin: 'which branch?\nmain?' })).out).toContain(
      'info_requested',
    );
    const shown = (await rouse('user', ['show', id])).out;
    expect(shown).toContain('info_requested, the requester is to act');
    expect(shown).toMatch(/— ben, (now|\d+ s ago)\n {2}which branch\?\n {2}main\?/);
    expect((await rouse('user', ['message', id, '--body-content', 'main'])).out).toContain('pending');
    expect((await rouse('ben', ['respond', id, 'done', '--note', 'merged'])).out).toBe('Answered: done.\n');
    expect((await rouse('user', ['sent'])).out).toContain('done');
    const second = await ask();
    expect((await rouse('user', ['cancel', second])).out).toBe('Cancelled.\n');
    expect((await json('orgAdmin', 'pending')).total_open).toBe(0);
    expect(
      (await json('orgAdmin', 'inbox', '--workspace-id', ben.workspaceId, '--status', 'all')).requests,
    ).toHaveLength(2);
  });

  it('rouse requests shows what others wrote without letting it move the cursor', async () => {
    const id = await ask('--detail', 'one\u001b[2J\ttwo');
    expect((await rouse('ben', ['show', id])).out).toContain('  one·[2J  two');
    await rouse('user', ['cancel', id]);
  });

  it.each<[string, string[], number, RegExp]>([
    ['no recipient', ['create', '--title', 't'], 2, /exactly one of --to-agent, --to-user or --to-anybody/],
    ['two to ask', ['create', '--title', 't', '--to-agent', 'ben', '--to-anybody'], 2, /exactly one/],
    ['no title', ['create', '--to-agent', 'ben'], 2, /--title/],
    ['an unknown agent', ['create', '--title', 't', '--to-agent', 'bem'], 3, /did you mean "ben"/],
    ['an unknown kind', ['create', '--title', 't', '--to-agent', 'ben', '--kind', 'x'], 2, /task, approval/],
    [
      'a priority of 101',
      ['create', '--title', 't', '--to-agent', 'ben', '--priority', '101'],
      2,
      /0 to 100/,
    ],
    ['an unknown request', ['show', 'nope'], 3, /there is no request nope/],
    ['an answer that is none', ['respond', 'x', 'maybe'], 2, /done, approved, rejected/],
    ['an unknown status', ['inbox', '--status', 'pendng'], 2, /pending/],
    ['a cursor of nowhere', ['inbox', '--cursor', 'x'], 2, /start again/],
    ['nothing to say', ['message', 'x'], 2, /has no text/],
    [
      'a server that is not there',
      ['inbox', '--fleet-url', 'http://127.0.0.1:1'],
      7,
      /no fleet server is listening/,
    ],
    ['a URL with a secret', ['inbox', '--fleet-url', 'http://a:b@127.0.0.1'], 2, /a token belongs in a file/],
    [
      'a token file that is not there',
      ['inbox', '--fleet-token-file', '/nope'],
      8,
      /no readable token at \/nope/,
    ],
  ])('rouse requests refuses %s', async (_what, args, code, message) => {
    const refused = await rouse('user', args);
    expect([refused.code, refused.out]).toEqual([code, '']);
    expect(refused.err).toMatch(message);
  });

  it('rouse requests says how a request ended when someone else was first', async () => {
    const id = await ask();
    await rouse('ben', ['respond', id, 'rejected']);
    expect(await rouse('orgAdmin', ['respond', id, 'done'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('the request is already rejected'),
    });
  });

  it("rouse requests speaks as the agent inside its session, although a person's token is in the environment", async () => {
    const root = path.join(home, 'session');
    fs.mkdirSync(path.join(root, 'fleet'), { recursive: true });
    fs.writeFileSync(
      path.join(root, 'fleet', 'fleet.json'),
      JSON.stringify({ url: fleet.url, workspace_id: ben.workspaceId }),
    );
    fs.writeFileSync(path.join(root, 'fleet', 'token'), ben.token, { mode: 0o600 });
    const id = await ask();
    const env = { HOUMAO_MANIFEST_PATH: path.join(root, 'manifest.json') };
    expect((await rouse('user', ['respond', id, 'done'], { env })).code).toBe(0);
  });

  it('rouse requests prints what happened after an event, and then what happens, until it is ended', async () => {
    const end = new AbortController();
    const lines: { type: string; request_id: string }[] = [];
    let seen: () => void = () => {};
    const until = (many: number): Promise<void> =>
      new Promise((resolve) => {
        seen = () => lines.length >= many && resolve();
        seen();
      });
    const id = await ask();
    const { rows } = await fleet.sql.query<{ id: number }>('SELECT max(id) - 1 AS id FROM request_events');
    const watching = rouse('user', ['watch', '--after', String(rows[0]!.id), '--print-json'], {
      signal: end.signal,
      onOut: (text) => {
        for (const line of text.trim().split('\n')) lines.push(JSON.parse(line));
        seen();
      },
    });
    await until(1);
    await rouse('ben', ['respond', id, 'done']);
    await until(2);
    expect(lines).toMatchObject([
      { type: 'REQUEST_CREATED', request_id: id },
      { type: 'REQUEST_RESPONDED', request_id: id },
    ]);
    end.abort();
    await watching;
  });
});
