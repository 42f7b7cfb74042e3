import { type Command, loadedTree, ROOT } from '../../src/cli/index.ts';
import { scene } from './stage.ts';

const TREE = await loadedTree(ROOT);

function* every(command: Command, words: string[] = []): Generator<[string[], Command]> {
  if (words.length > 0) yield [words, command];
  for (const inner of command.subcommands ?? []) yield* every(inner, [...words, inner.name]);
}

/** These run for long, or until stopped, so the scenes of their families run them. What doctor reports depends on the machine. */
const AT_WORK = [
  'demo',
  'dashboard',
  'server start',
  'server init',
  'mcp',
  'requests watch',
  'complete',
  'doctor',
];

for (const family of TREE.subcommands ?? []) {
  const commands = [...every(family, [family.name])];

  scene(
    `help/${family.name}`,
    async (stage) => {
      for (const [words] of commands) await stage.run([...words, '--help']);
    },
    { exact: true },
  );

  scene(`bare/${family.name}`, async (stage) => {
    // Nothing listens there.
    stage.env['ROUSE_FLEET_URL'] = 'http://127.0.0.1:1';
    for (const [words] of commands) {
      if (AT_WORK.includes(words.join(' '))) continue;
      await stage.both(words);
    }
  });
}

scene('bare', async (stage) => {
  await stage.run('--help');
  await stage.run([]);
  await stage.run('--print-json');
  await stage.run('agnets');
  await stage.run('agents lst --print-json');
  await stage.run('mail list --nonsense');
});

scene('nobody', async (stage) => {
  for (const [words, command] of every(TREE)) {
    const flags = command.flags ?? [];
    const names = new Set(flags.map(({ name }) => name));
    if (!names.has('agent-name') || !names.has('current-session') || words[0] === 'mcp') continue;
    const needed = flags
      .filter(({ required }) => required)
      .flatMap(({ name, choices }) => [`--${name}`, (typeof choices === 'object' && choices[0]) || '5']);
    const args = (command.args ?? []).filter(({ optional }) => !optional).map(({ name }) => name);
    await stage.run([...words, ...args, ...needed, '--agent-name', 'nobody'], { stdin: 'text' });
  }
});
