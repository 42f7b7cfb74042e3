import * as fs from 'node:fs';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

/** The built programs do everything here; they know the tool only through made-up-tool.ts. */
let world: TestWorld;
let env: NodeJS.ProcessEnv;
let heardFile: string;

beforeAll(() => {
  world = new TestWorld();
  const at = (name: string): string => path.join(world.directory, name);
  const tool = at('made-up-tool.mjs');
  const source = path.join(import.meta.dirname, 'made-up-tool.ts');
  esbuild.buildSync({ entryPoints: [source], outfile: tool, bundle: true, format: 'esm' });
  fs.chmodSync(tool, 0o600);
  fs.mkdirSync(at('bin'));
  fs.copyFileSync(path.join(import.meta.dirname, 'made-up-agent.mjs'), at('bin/madeup'));
  fs.chmodSync(at('bin/madeup'), 0o755);
  heardFile = at('heard.jsonl');
  fs.writeFileSync(heardFile, '');
  env = { PATH: `${at('bin')}:${process.env['PATH']}`, ROUSE_TOOLS: tool, MADEUP_HEARD: heardFile };
});
afterAll(async () => {
  for (const name of ['mia', 'mab']) await rouse('agents', 'stop', '--agent-name', name);
  await world.close();
});

const WAIT = { timeout: 30_000, interval: 100 };
const rouse = (...words: string[]): Promise<Ran> => world.rouse([...words, '--print-json'], env);
async function json(...words: string[]): Promise<Ran['json']> {
  const said = await rouse(...words);
  expect([words.join(' '), said.code, said.stderr]).toEqual([words.join(' '), 0, '']);
  return said.json;
}
const gateway = (...words: string[]): Promise<Ran['json']> =>
  json('agents', 'gateway', ...words, '--agent-name', 'mia');
const heard = (): { text: string; args: string[] }[] =>
  fs
    .readFileSync(heardFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { text: string; args: string[] });

describe('a tool made up in one file', () => {
  it('a tool made up in one file is launched with its role, its skills and nothing of another instance', async () => {
    const launched = await json(
      ...['agents', 'launch', '--tool', 'madeup', '--agent-name', 'mia', '--role-prompt', 'be brief'],
      ...['--gateway-auto-attach', '--gateway-background'],
    );
    expect(launched).toMatchObject({ tool: 'madeup', backend: 'local_interactive' });
    expect(launched['skills_written']).toEqual([
      expect.stringMatching(/\/\.madeup\/skills\/houmao-process-emails-via-gateway\/SKILL\.md$/),
      expect.stringMatching(/\/\.madeup\/skills\/houmao-agent-email-comms\/SKILL\.md$/),
    ]);
    const shown = await json('agents', 'show', '--agent-name', 'mia');
    expect(shown).toMatchObject({
      process: { tool_running: true },
      launch: { args: ['--role', 'be brief'] },
    });
  });

  it('a tool made up in one file is woken by mail, in the words by which it runs a skill', async () => {
    await gateway('mail-notifier', 'enable', '--interval-seconds', '3600');
    await json(
      ...['agents', 'mail', 'post', '--agent-name', 'mia', '--subject', 'work', '--body-content', 'do it'],
    );
    await expect.poll(() => heard().length, WAIT).toBe(1);
    expect(heard()[0]!.text).toMatch(/^You have open mail[\s\S]*\n%houmao-process-emails-via-gateway\n/);
    await expect
      .poll(async () => (await gateway('requests', 'list')).requests?.[0]?.outcome, WAIT)
      .toBe('submitted');
  });

  it('a tool made up in one file is seen idle, at work, interrupted and with a question open, into which nothing is typed', async () => {
    // The gateway may still be recording how the previous turn ended.
    const prompt = async (text: string): Promise<number> =>
      (await rouse('agents', 'gateway', 'prompt', '--prompt', text, '--agent-name', 'mia')).code;
    const phase = async (): Promise<string> => (await gateway('tui', 'state')).turn.phase;
    await expect.poll(phase, WAIT).toBe('ready');
    await expect.poll(() => prompt('long work'), WAIT).toBe(0);
    await expect.poll(phase, WAIT).toBe('active');
    await gateway('interrupt');
    await expect.poll(phase, WAIT).toBe('ready');
    await expect.poll(() => prompt('ask me'), WAIT).toBe(0);
    await expect.poll(async () => (await gateway('tui', 'state')).surface.accepting_input, WAIT).toBe('no');
    expect(await prompt('x')).toBe(5);
    expect(heard().map(({ text }) => text)).not.toContain('x');
  });

  it('a tool made up in one file takes headless turns as its manifest records them', async () => {
    const launched = await json(
      ...['agents', 'launch', '--tool', 'madeup', '--agent-name', 'mab', '--headless', '--no-mailbox'],
      ...['--role-prompt', 'be kind', '--gateway-auto-attach', '--gateway-background'],
    );
    const manifest = JSON.parse(fs.readFileSync(launched['manifest_path'], 'utf8'));
    expect(manifest.launch_plan.metadata.rouse.headless).toMatchObject({
      create: ['{args}', '{model}', '{role}', '--once'],
      role_args: ['--role', 'be kind'],
    });
    await json('agents', 'gateway', 'prompt', '--prompt', 'hello', '--agent-name', 'mab');
    await expect
      .poll(() => heard().find(({ text }) => text === 'hello')?.args, WAIT)
      .toEqual(['--role', 'be kind', '--once']);
  });

  it('a tool made up in one file is offered by the command line, and its screens are classified', async () => {
    const help = await world.rouse(['agents', 'launch', '--help'], env);
    expect(help.stdout.replace(/\s+/g, ' ')).toContain('scripted, madeup, or any program');
    expect((await json('skills', 'list', '--tool', 'madeup'))['skills'][0]).toMatchObject({
      state: 'current',
    });
    const line = '─'.repeat(40);
    const first = (cursor: string): string =>
      `# madeup / x  cursor=${cursor} cursor_flag=1 size=40x8 alternate_on=1 title="" cmd=madeup`;
    const screens = {
      ready: [first('2,3'), '» before', '= done', line, '» ', line, '  madeup'],
      busy_turn: [first('2,4'), '» before', '', '~ pondering', line, '» ', line, '  madeup'],
      dialog: [
        first('0,1'),
        'Allow this command?',
        '❯ 1. Yes',
        '  2. No',
        '',
        'Enter to confirm · Esc to cancel',
      ],
      draft: [first('6,3'), '» before', '= done', line, '» mine', line, '  madeup'],
    };
    for (const [means, rows] of Object.entries(screens)) {
      const file = path.join(world.directory, `${means}.txt`);
      fs.writeFileSync(file, `${rows.join('\n')}\n`);
      const [result] = (await json('tui', 'classify', '--tool', 'madeup', file))['results'];
      expect([means, result.ready, result.reasons]).toEqual([
        means,
        means === 'ready',
        means === 'ready' ? [] : [means],
      ]);
    }
  });
});

describe('a file of ROUSE_TOOLS', () => {
  it.each([
    ['that is not there', undefined, 0o600, /there is no file/],
    ['that others can change', 'export default {};', 0o622, /others can change it/],
    ['that is no module', 'nonsense ===', 0o600, /cannot be loaded/],
    ['that holds no tool', 'export default { name: "x" };', 0o600, /no valid "process\.executable"/],
    [
      'with the name of a known tool',
      `export default { name: "claude", homeVariable: null, role: { method: "none" }, detectors: [],
        process: { executable: "x", names: ["x"], nestedMarks: [], npmPackage: null } };`,
      0o600,
      /there is already a tool "claude"/,
    ],
  ])('%s is refused before anything else is done', async (_what, text, mode, why) => {
    const file = path.join(world.directory, 'own.mjs');
    fs.rmSync(file, { force: true });
    if (text !== undefined) fs.writeFileSync(file, text);
    if (text !== undefined) fs.chmodSync(file, mode);
    const said = await world.rouse(['agents', 'list'], { ROUSE_TOOLS: file });
    expect([said.code > 0, said.stderr]).toEqual([true, expect.stringMatching(why)]);
  });

  it('a file of ROUSE_TOOLS must be named by an absolute path', async () => {
    const said = await world.rouse(['agents', 'list'], { ROUSE_TOOLS: 'own.mjs' });
    expect([said.code, said.stderr]).toEqual([2, expect.stringMatching(/not an absolute path/)]);
  });
});
