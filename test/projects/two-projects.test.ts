import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inWords, proofReport } from '../support/proof-report.ts';
import { drawnFor, FULL } from '../support/sample.ts';
import { promptsOf } from '../support/scripted-agent.ts';
import { type Ran, TestWorld } from '../support/test-world.ts';

const NAMES = ['ana', 'ben', 'cleo', 'dan'] as const;
const PROJECTS = ['shop', 'app'] as const;
/** At full size by time; otherwise by steps. */
const MINUTES = 10;
const STEPS = 8;

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
  const member = (name: string): string => `[team.${name}]\ntool = "quick"\nwake = false\n`;
  for (const project of PROJECTS) {
    fs.mkdirSync(at(project));
    fs.writeFileSync(
      path.join(at(project), '.rouse.toml'),
      `[tools.quick]\ntool = "scripted"\nargs = ["--turn", "20ms"]\n${NAMES.map(member).join('')}`,
    );
  }
});
afterAll(() => world.close());

const at = (project: string): string => path.join(world.directory, project);

async function rouse(project: string, ...args: string[]): Promise<Ran> {
  world.workdir = at(project);
  const ran = await world.rouse(['--print-json', ...args], { CAO_PORT: '1' });
  if (ran.code !== 0) throw new Error(`${project}: rouse ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
  return ran;
}

/** The names on the machine, by project and short name. */
async function machineNames(): Promise<Map<string, string>> {
  const { agents } = (await rouse('shop', 'agents', 'list')).json;
  type Listed = { agent_name: string; short_name: string; project: { name: string } };
  return new Map(
    agents.map(({ agent_name, short_name, project }: Listed) => [
      `${project.name}/${short_name}`,
      agent_name,
    ]),
  );
}

/** Every prompt that an agent received, in all its sessions. */
function prompts(name: string): string[] {
  const sessions = path.join(world.home, 'runtime/sessions/local_interactive');
  return fs
    .readdirSync(sessions)
    .map((session) => path.join(sessions, session))
    .filter(
      (root) => JSON.parse(fs.readFileSync(path.join(root, 'manifest.json'), 'utf8')).agent_name === name,
    )
    .flatMap((root) => (fs.existsSync(path.join(root, 'transcript.jsonl')) ? promptsOf(root) : []));
}

async function subjects(name: string): Promise<string[]> {
  const { messages } = (
    await rouse('shop', 'mail', 'list', '--address', `${name}@houmao.localhost`, '--limit', '1000')
  ).json;
  return messages.map(({ subject }: { subject: string }) => subject);
}

it(
  'two projects with the same four names: mail, requests and reminders reach exactly their agent, through restarts',
  async () => {
    for (const project of PROJECTS) {
      await rouse(project, 'config', 'trust');
      await rouse(project, 'up');
    }
    const names = await machineNames();
    expect([...names.keys()].sort()).toEqual(PROJECTS.flatMap((p) => NAMES.map((n) => `${p}/${n}`)).sort());
    expect(new Set(names.values()).size).toBe(8);
    const random = drawnFor(import.meta.filename);
    const sent = { mail: new Map<string, string[]>(), typed: new Map<string, string[]>() };
    const done = { mail: 0, request: 0, reminder: 0, restart: 0 };
    const note = (kind: keyof typeof sent, who: string, token: string): void => {
      sent[kind].set(who, [...(sent[kind].get(who) ?? []), token]);
    };
    const start = performance.now();
    const lasts = (step: number): boolean =>
      FULL ? performance.now() - start < MINUTES * 60_000 : step < STEPS;
    for (let step = 0; lasts(step); step++) {
      const project = random.pick(PROJECTS);
      const name = random.pick(NAMES);
      const who = `${project}/${name}`;
      // Half of the time from inside the project, by the bare name; else from the other one.
      const inside = random.next() < 0.5;
      const from = inside ? project : PROJECTS.find((each) => each !== project)!;
      const called = inside ? name : who;
      const token = `token ${step} for ${who}`;
      const kind = random.weighted({ mail: 4, request: 4, reminder: 2, restart: 1 });
      done[kind]++;
      if (kind === 'mail') {
        const sender = inside ? ['--from', random.pick(NAMES)] : [];
        await rouse(from, 'send', ...sender, called, token);
        note('mail', who, token);
      } else if (kind === 'request') {
        await rouse(from, 'agents', 'gateway', 'requests', 'submit', who, '--prompt', token);
        note('typed', who, token);
      } else if (kind === 'reminder') {
        const when = [
          '--mode',
          'one_off',
          '--start-after-seconds',
          '0.2',
          '--after-all',
          '--durable',
          '--missed',
          'once',
        ];
        await rouse(
          from,
          'agents',
          'gateway',
          'reminders',
          'create',
          who,
          ...when,
          '--title',
          't',
          '--prompt',
          token,
        );
        note('typed', who, token);
      } else {
        // Of the gateway, in the middle of its work.
        await rouse(project, 'agents', 'gateway', 'detach', who);
        await rouse(project, 'agents', 'gateway', 'attach', who);
      }
    }
    for (const [who, name] of names) {
      const typed = (sent.typed.get(who) ?? []).sort();
      await world.until(() => prompts(name).length >= typed.length);
      expect(prompts(name).sort(), who).toEqual(typed);
      expect((await subjects(name)).sort(), who).toEqual((sent.mail.get(who) ?? []).sort());
    }
    await rouse('app', 'down');
    const left = [...(await machineNames()).keys()].sort();
    expect(left).toEqual(NAMES.map((name) => `shop/${name}`));
    // What the other project's agents were is kept for them.
    await rouse('app', 'up');
    expect(await machineNames()).toEqual(names);
    proofReport(`two projects, eight agents of four names: ${inWords(done)}; nothing went astray`);
  },
  FULL ? (MINUTES + 5) * 60_000 : undefined,
);
