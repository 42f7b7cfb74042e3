import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { findTarget, type SelectorFlags } from '../../src/session/index.ts';
import { type Ran, TestWorld } from '../support/test-world.ts';
import { paneWith } from './support/scripted-pane.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

const json = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  world.rouse(['--print-json', ...args], { CAO_PORT: '1', ...env });

const join = (name: string, ...flags: string[]): Promise<Ran> =>
  json(['join', name, '--no-install-houmao-skills', ...flags]);

/** The environment that a command has in this pane. */
function inside(pane: string): NodeJS.ProcessEnv {
  return { TMUX: `${world.socket},${world.tmux('display-message', '-p', '#{pid}')},0`, TMUX_PANE: pane };
}

const plainPane = (session: string): string =>
  world.tmux('split-window', '-dPF', '#{pane_id}', '-t', `=${session}:`, 'exec cat');

const received = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

/** Types a prompt through the gateway, and waits until the tool has it. */
async function prompted(name: string, transcript: string, text: string): Promise<void> {
  const sent = await json([
    'agents',
    'gateway',
    'requests',
    'submit',
    '--agent-name',
    name,
    '--prompt',
    text,
  ]);
  expect([sent.code, sent.stderr]).toEqual([0, '']);
  await world.until(() => received(transcript).includes(text));
}

/** Which agent the flags select in that place: its name, or why none is chosen. */
async function chosen(flags: SelectorFlags, pane: string | undefined): Promise<string> {
  const env = { ...world.env, CAO_PORT: '1', ROUSE_TMUX_SOCKET: undefined };
  const context = { ...world.context, env: pane === undefined ? env : { ...env, ...inside(pane) } };
  try {
    const target = await findTarget(context, flags);
    return target.facts!.agentName;
  } catch (error) {
    if (!isRouseError(error)) throw error;
    return String(error.facts['cause'] ?? error.code);
  }
}

const FORMS = {
  'no selector': {},
  '--current-session': { currentSession: true },
  '--target-tmux-session': { targetTmuxSession: 'S' },
  '--agent-name': { agentName: 'ben' },
  '--agent-id': { agentId: 'id-ben' },
} satisfies Record<string, SelectorFlags>;

/** One line per form: what is chosen in each place, in their order. */
async function table(places: readonly (string | undefined)[]): Promise<Record<string, string[]>> {
  const lines: Record<string, string[]> = {};
  for (const [form, flags] of Object.entries(FORMS)) {
    lines[form] = [];
    for (const pane of places) lines[form].push(await chosen(flags, pane));
  }
  return lines;
}

describe('which agent is selected', () => {
  const panes: Record<string, string> = {};
  // Where the agent would be, or is; then another pane of the session, another session, outside of tmux.
  const places = (...of: string[]): (string | undefined)[] => [
    ...of.map((name) => panes[name]!),
    panes['other']!,
    panes['elsewhere']!,
    undefined,
  ];

  it('no agent is selected in a session without one', async () => {
    panes['ana'] = await paneWith(world, 'ana', { session: 'S' });
    panes['other'] = plainPane('S');
    world.tmux('new-session', '-d', '-s', 'T', 'exec cat');
    panes['elsewhere'] = world.tmux('display-message', '-p', '-t', '=T:', '#{pane_id}');
    expect(await table(places('ana'))).toEqual({
      'no selector': ['stale_pointer', 'stale_pointer', 'stale_pointer', 'invalid'],
      '--current-session': ['stale_pointer', 'stale_pointer', 'stale_pointer', 'invalid'],
      '--target-tmux-session': Array(4).fill('stale_pointer'),
      '--agent-name': Array(4).fill('not_found'),
      '--agent-id': Array(4).fill('not_found'),
    });
  });

  it('the one agent of a session is selected in each of its panes', async () => {
    expect((await join('ben', '--agent-id', 'id-ben', '--target-tmux-session', 'S')).code).toBe(0);
    expect(await table(places('ana'))).toEqual({
      'no selector': ['ben', 'ben', 'stale_pointer', 'invalid'],
      '--current-session': ['ben', 'ben', 'stale_pointer', 'invalid'],
      '--target-tmux-session': Array(4).fill('ben'),
      '--agent-name': Array(4).fill('ben'),
      '--agent-id': Array(4).fill('ben'),
    });
    expect((await json(['leave', 'ben'])).code).toBe(0);
  });

  it('of several agents of a session each is selected in its own pane, and none elsewhere', async () => {
    expect((await join('ana', '--target-tmux-session', 'S')).code).toBe(0);
    panes['ben'] = await paneWith(world, 'ben', { beside: panes['ana']! });
    panes['cleo'] = await paneWith(world, 'cleo', { window: 'S' });
    const ben = await join('ben', '--agent-id', 'id-ben', '--pane', panes['ben']);
    expect([ben.code, ben.stderr]).toEqual([0, '']);
    expect((await join('cleo', '--pane', panes['cleo'])).code).toBe(0);
    // The active pane is never meant.
    world.tmux('select-pane', '-t', panes['ben']);
    const own = ['ana', 'ben', 'cleo', 'several_agents', 'stale_pointer', 'invalid'];
    expect(await table(places('ana', 'ben', 'cleo'))).toEqual({
      'no selector': own,
      '--current-session': own,
      '--target-tmux-session': Array(6).fill('several_agents'),
      '--agent-name': Array(6).fill('ben'),
      '--agent-id': Array(6).fill('ben'),
    });
    const refused = await json(['agents', 'gateway', 'status', '--target-tmux-session', 'S']);
    expect([refused.code, refused.json['error'].agents]).toEqual([4, ['ana', 'ben', 'cleo']]);
  });

  it('mail is from the agent in whose pane it is sent, and in a pane of none from the operator', async () => {
    const sent = [
      [panes['ben']!, 'from ben'],
      [panes['ana']!, 'from ana'],
      [panes['other']!, 'from the operator'],
    ] as const;
    for (const [pane, subject] of sent)
      expect((await json(['send', 'cleo', subject], inside(pane))).code).toBe(0);
    const { messages } = (await json(['agents', 'mail', 'list', '--agent-name', 'cleo'])).json;
    const from = messages.map(({ subject, sender }: { subject: string; sender: { address: string } }) => [
      ...[subject, sender.address.split('@')[0]],
    ]);
    expect(from.sort()).toEqual([
      ['from ana', 'ana'],
      ['from ben', 'ben'],
      ['from the operator', expect.stringMatching(/operator/i)],
    ]);
  });

  it('a pane is joined once, and the session’s variables are those of its first agent', async () => {
    const again = await join('dan', '--pane', panes['ben']!);
    expect([again.code, again.json['error'].cause]).toEqual([4, 'already_managed']);
    const first = await join('dan', '--pane', panes['ana']!);
    expect([first.code, first.json['error'].cause]).toEqual([4, 'already_managed']);
    const unnamed = await join('dan', '--target-tmux-session', 'S');
    expect([unnamed.code, unnamed.json['error'].hint]).toEqual([4, expect.stringMatching(/--pane/)]);
    const { json: ana } = await json(['agents', 'show', '--agent-name', 'ana']);
    expect(world.tmux('show-environment', '-t', '=S:', 'HOUMAO_MANIFEST_PATH')).toBe(
      `HOUMAO_MANIFEST_PATH=${ana['paths'].manifest}`,
    );
    const records = path.join(world.home, 'registry/live_agents');
    for (const id of fs.readdirSync(records))
      expect(fs.readFileSync(path.join(records, id, 'record.json'), 'utf8')).not.toMatch(/%\d/);
  });

  it('a lost pointer of the session does not make another agent of it the only one', async () => {
    world.tmux('set-environment', '-t', '=S:', '-u', 'HOUMAO_MANIFEST_PATH');
    expect(await chosen({ targetTmuxSession: 'S' }, undefined)).toBe('several_agents');
    expect(await chosen({}, panes['other']!)).toBe('several_agents');
    await json(['agents', 'list']);
  });

  it('an agent that is left gives back its pane alone; the last one is then selected in every pane', async () => {
    expect((await json(['leave', 'cleo'])).code).toBe(0);
    expect((await json(['leave', '--agent-name', 'ana'])).code).toBe(0);
    expect(await chosen({}, panes['other']!)).toBe('ben');
    expect(await chosen({ targetTmuxSession: 'S' }, undefined)).toBe('ben');
    expect((await json(['leave', 'ben'])).code).toBe(0);
    expect(world.tmux('show-environment', '-t', '=S:')).not.toMatch(/HOUMAO/);
    for (const pane of Object.values(panes))
      expect(world.tmux('show-options', '-p', '-t', pane)).not.toMatch(/HOUMAO/);
    expect(world.tmux('list-panes', '-s', '-t', '=S:', '-F', '#{pane_dead}')).toBe('0\n0\n0\n0');
  });
});

describe('agents in panes of one session', () => {
  const transcripts = {
    ana: () => path.join(world.directory, 'ana2.jsonl'),
    ben: () => path.join(world.directory, 'ben2.jsonl'),
  };
  let ana: string;
  let ben: string;

  it('each has its own gateway and mailbox; the second is not served in a window', async () => {
    ana = await paneWith(world, 'ana', { session: 'two', transcript: transcripts.ana() });
    ben = await paneWith(world, 'ben', { beside: ana, transcript: transcripts.ben() });
    for (const [name, pane] of [
      ['ana', ana],
      ['ben', ben],
    ] as const) {
      const joined = await join(name, '--pane', pane, '--wake');
      expect([joined.code, joined.stderr]).toEqual([0, '']);
    }
    const words = ['agents', 'gateway', 'attach', '--agent-name', 'ben'];
    const refused = await json([...words, '--foreground']);
    expect([refused.code, refused.json['error'].cause]).toEqual([6, 'foreground_unsupported']);
    const { agents } = (await json(['agents', 'list'])).json;
    const [one, two] = agents;
    expect([one.gateway, two.gateway]).toEqual(['live', 'live']);
    expect(one.gateway_port).not.toBe(two.gateway_port);
    expect([one.mail_address, two.mail_address]).toEqual(['ana@houmao.localhost', 'ben@houmao.localhost']);
    await prompted('ana', transcripts.ana(), 'first for ana');
    await prompted('ben', transcripts.ben(), 'first for ben');
  });

  it('a pane of no agent inherits the variables of the first, and commands in it act as none', async () => {
    const other = plainPane('two');
    const pid = world.tmux('display-message', '-p', '-t', other, '#{pane_pid}');
    const variables = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const inherited = Object.fromEntries(variables.map((each) => each.split('=', 2) as [string, string]));
    expect(inherited['HOUMAO_MANIFEST_PATH']).toMatch(/manifest.json$/);
    const inbox = ['requests', 'inbox'];
    const refused = await json(inbox, { ...inherited, ...inside(other) });
    const { cause, agents } = refused.json['error'];
    expect([refused.code, cause, agents]).toEqual([4, 'several_agents', ['ana', 'ben']]);
    // No fleet server was ever started here: the command goes on, and finds no token.
    for (const env of [inside(ana), inside(ben), { TMUX: '', TMUX_PANE: '' }])
      expect((await json(inbox, { ...inherited, ...env })).json['error'].code).toBe('unauthorized');
    world.tmux('kill-pane', '-t', other);
  });

  it.each([
    ['split', () => world.tmux('split-window', '-d', '-t', ben, 'exec cat')],
    ['swapped', () => world.tmux('swap-pane', '-d', '-s', ben, '-t', ana)],
    ['zoomed', () => world.tmux('resize-pane', '-Z', '-t', ana)],
    ['broken out', () => world.tmux('break-pane', '-d', '-s', ben)],
    ['renumbered', () => world.tmux('move-window', '-r', '-t', '=two:')],
    ['moved back', () => world.tmux('join-pane', '-d', '-b', '-s', ben, '-t', ana)],
    ['moved to another window', () => world.tmux('break-pane', '-d', '-s', ana)],
    ['in a session with another name', () => world.tmux('rename-session', '-t', '=two', 'zwei')],
    [
      'moved to another session',
      () => {
        world.tmux('new-session', '-d', '-s', 'drei', 'exec cat');
        world.tmux('join-pane', '-d', '-s', ben, '-t', '=drei:');
      },
    ],
    [
      'the first agent’s, moved to another session',
      () => {
        world.tmux('new-session', '-d', '-s', 'vier', 'exec cat');
        world.tmux('join-pane', '-d', '-s', ana, '-t', '=vier:');
        // Its variables stay with their session, under whatever name.
        world.tmux('rename-session', '-t', '=zwei', 'due');
        expect(world.tmux('display-message', '-p', '-t', ana, '#{session_name}')).toBe('vier');
      },
    ],
  ])('an agent whose pane is %s keeps it', async (what, move) => {
    move();
    await prompted('ben', transcripts.ben(), `ben, ${what}`);
    await prompted('ana', transcripts.ana(), `ana, ${what}`);
    expect(received(transcripts.ana())).not.toMatch(/"[^"]*ben, /);
    expect(received(transcripts.ben())).not.toMatch(/"[^"]*ana, /);
    expect(await chosen({}, ben)).toBe('ben');
    expect(await chosen({}, ana)).toBe('ana');
    const { agents } = (await json(['ls'])).json;
    expect(agents.map(({ state }: { state: string }) => state)).not.toContain('gone');
  });

  it('an agent whose pane was closed is gone, and the others are as before', async () => {
    world.tmux('kill-pane', '-t', ben);
    await world.until(async () => {
      const { agents } = (await json(['ls'])).json;
      return agents.find(({ name }: { name: string }) => name === 'ben')?.state === 'gone';
    });
    await prompted('ana', transcripts.ana(), 'after ben');
    const left = await json(['leave', 'ben']);
    expect(left.code).toBe(0);
    expect((await json(['leave', 'ana'])).code).toBe(0);
    for (const session of ['due', 'drei', 'vier'])
      expect(world.tmux('show-environment', '-t', `=${session}:`), session).not.toMatch(/HOUMAO/);
    expect(world.tmux('show-options', '-p', '-t', ana)).not.toMatch(/HOUMAO/);
  });
});

describe('a launched agent with others in its session', () => {
  it('a launched agent with others in its session is stopped alone: its pane ends, its session and the others stay', async () => {
    const launched = await json(['launch', 'scripted', 'eva', '--wake']);
    const session = launched.json['tmux_session_name'];
    const pane = launched.json['pane_id'];
    const transcript = path.join(world.directory, 'fay.jsonl');
    const fay = await paneWith(world, 'fay', { beside: pane, transcript });
    expect((await join('fay', '--pane', fay, '--wake')).code).toBe(0);
    const shared = await json(['stop', 'fay', '--kill-session']);
    expect([shared.code, shared.json['error'].cause]).toEqual([4, 'shared_session']);
    world.tmux('swap-pane', '-d', '-s', fay, '-t', pane);
    await prompted('fay', transcript, 'swapped with eva');
    const stopped = await json(['stop', 'eva']);
    expect([stopped.code, stopped.json['session']]).toEqual([0, 'ended']);
    const ids = world.tmux('list-panes', '-s', '-t', `=${session}:`, '-F', '#{pane_id}').split('\n');
    expect(ids).toContain(fay);
    expect(ids).not.toContain(pane);
    await prompted('fay', transcript, 'after eva');
    expect((await json(['leave', 'fay'])).code).toBe(0);
    expect(world.tmux('list-sessions', '-F', '#{session_name}').split('\n')).toContain(session);
  });
});
