import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { paneWith } from '../session/support/scripted-pane.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { drawnFor, FULL } from '../support/sample.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { type Ran, TestWorld } from '../support/test-world.ts';

const NAMES = ['ana', 'ben', 'cleo', 'dan', 'eva', 'fay'] as const;
type Name = (typeof NAMES)[number];
/** At full size by time; otherwise by steps. */
const MINUTES = 4;
const STEPS = 10;

let world: TestWorld;
const panes = new Map<Name, string>();
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

async function rouse(...args: string[]): Promise<Ran> {
  const ran = await world.rouse(['--print-json', ...args], { CAO_PORT: '1' });
  if (ran.code !== 0) throw new Error(`rouse ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
  return ran;
}

const transcript = (name: Name): string => path.join(world.directory, `${name}.jsonl`);

function received(name: Name): string[] {
  return readTranscript(transcript(name))
    .filter(({ type }) => type === 'submitted')
    .map((record) => String(record['text']));
}

const MOVES = {
  swap: (one: string, other: string) => ['swap-pane', '-d', '-s', one, '-t', other],
  break: (one: string) => ['break-pane', '-d', '-s', one],
  join: (one: string, other: string) => ['join-pane', '-d', '-s', one, '-t', other],
  zoom: (one: string) => ['resize-pane', '-Z', '-t', one],
  renumber: () => ['move-window', '-r', '-t', '=six:'],
  rotate: (one: string) => ['rotate-window', '-t', one],
  layout: (one: string) => ['select-layout', '-t', one, 'tiled'],
};

it(
  'six agents in panes of one session: prompts and mail reach exactly their agent while panes are moved about',
  async () => {
    for (const name of NAMES) {
      const where = name === 'ana' ? { session: 'six' } : { window: 'six' };
      const pane = await paneWith(world, name, { ...where, transcript: transcript(name) });
      panes.set(name, pane);
      await rouse('join', name, '--pane', pane, '--wake', '--no-install-houmao-skills');
    }
    const random = drawnFor(import.meta.filename);
    const typed = new Map<Name, string[]>();
    const mailed = new Map<Name, string[]>();
    const done = { move: 0, prompt: 0, mail: 0, restart: 0 };
    const start = performance.now();
    const lasts = (step: number): boolean =>
      FULL ? performance.now() - start < MINUTES * 60_000 : step < STEPS;
    for (let step = 0; lasts(step); step++) {
      const [one, other] = [random.pick(NAMES), random.pick(NAMES)];
      const move = MOVES[random.pick(Object.keys(MOVES) as (keyof typeof MOVES)[])];
      // tmux refuses some moves, such as one of a pane onto itself.
      world.tmux(...move(panes.get(one)!, panes.get(other)!));
      done.move++;
      const name = random.pick(NAMES);
      const token = `token ${step} for ${name}`;
      const kind = random.weighted({ prompt: 5, mail: 3, restart: 1 });
      done[kind]++;
      if (kind === 'prompt') {
        await rouse('agents', 'gateway', 'requests', 'submit', '--agent-name', name, '--prompt', token);
        typed.set(name, [...(typed.get(name) ?? []), token]);
      } else if (kind === 'mail') {
        await rouse('send', name, token);
        mailed.set(name, [...(mailed.get(name) ?? []), token]);
      } else {
        await rouse('agents', 'gateway', 'detach', '--agent-name', name);
        await rouse('agents', 'gateway', 'attach', '--agent-name', name);
      }
    }
    for (const name of NAMES) {
      const wanted = (typed.get(name) ?? []).sort();
      const tokens = (): string[] => received(name).filter((text) => text.startsWith('token '));
      await world.until(() => tokens().length >= wanted.length);
      expect(tokens().sort(), name).toEqual(wanted);
      const { messages } = (await rouse('agents', 'mail', 'list', '--agent-name', name, '--limit', '1000'))
        .json;
      const subjects = messages.map(({ subject }: { subject: string }) => subject);
      expect(subjects.sort(), name).toEqual((mailed.get(name) ?? []).sort());
      if ((mailed.get(name) ?? []).length > 0)
        await world.until(() => received(name).some((text) => !text.startsWith('token ')));
    }
    for (const name of NAMES) await rouse('leave', name);
    const options = [...panes.values()].map((pane) => world.tmux('show-options', '-p', '-t', pane));
    expect(options.join('')).not.toMatch(/HOUMAO/);
    expect(world.tmux('show-environment', '-t', '=six:')).not.toMatch(/HOUMAO/);
    expect(world.tmux('list-panes', '-s', '-t', '=six:', '-F', '#{pane_id}').split('\n').sort()).toEqual(
      [...panes.values()].sort(),
    );
    proofReport(`six agents in panes of one session: ${inWords(done)}; nothing went astray`);
  },
  FULL ? (MINUTES + 5) * 60_000 : undefined,
);
