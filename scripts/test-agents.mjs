// Tests with the real command lines, which are installed if they are missing:
//   npm run test:agents [-- TOOL…]                                       the tests of test/agents
//   npm run test:agents -- round [TOOL…] [--rounds N] [--variant NAME]   two agents write to each other and do their mail
// The run fails if a tool could not be tried.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { CLIS, ensureClis } from './agent-clis.mjs';
import { proofCall, vitest } from './proofs.mjs';
import { ensureBuild, ensureDependencies, ensurePrograms, root } from './setup.mjs';

const VARIANTS = ['plain', 'restart', 'relaunch', 'flat', 'fleet'];
const { rounds, variants, isRound, names } = wanted();
ensureDependencies();
ensurePrograms(['tmux', 'flock']);
ensureBuild();
const failures = await ensureClis(names);
const tried = names.filter((name) => !(name in failures));
if (tried.length > 0 && !(await (isRound ? playRounds() : runTests()))) process.exitCode = 1;
for (const [name, why] of Object.entries(failures)) {
  console.error(`${name} was not tried: ${why}`);
  process.exitCode = 1;
}
process.exit();

function wanted() {
  const options = { rounds: { type: 'string' }, variant: { type: 'string', multiple: true } };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const isRound = positionals[0] === 'round';
    const asked = isRound ? positionals.slice(1) : positionals;
    for (const name of asked) if (!(name in CLIS)) throw new Error(`no tool is called ${name}`);
    if (!isRound && (values.rounds || values.variant))
      throw new Error('--rounds and --variant are for round');
    const rounds = Number(values.rounds ?? 5);
    if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number from 1');
    for (const name of values.variant ?? [])
      if (!VARIANTS.includes(name)) throw new Error(`no variant is called ${name}`);
    const names = Object.keys(CLIS).filter((name) => asked.length === 0 || asked.includes(name));
    return { rounds, variants: values.variant ?? VARIANTS, isRound, names };
  } catch (error) {
    const [tools, kinds] = [Object.keys(CLIS).join('|'), VARIANTS.join('|')];
    console.error(`${error.message}\nusage: npm run test:agents [-- ${tools} …]`);
    console.error(`       npm run test:agents -- round [${tools} …] [--rounds N] [--variant ${kinds}]`);
    process.exit(2);
  }
}

function runTests() {
  const have = (...names) => names.every((name) => tried.includes(name));
  // The README names these two.
  const pair = have('claude', 'codex') ? ['first-hour', 'limits'] : [];
  const circle = have('claude', 'codex', 'pi') ? ['waits'] : [];
  const { args, env } = proofCall('agents', [...tried, ...pair, ...circle]);
  delete env.ROUSE_AGENTS_DIR;
  return spawnSync(vitest, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}

/** Runs the rounds; the last line of each tool is its result. */
async function playRounds() {
  delete process.env.ROUSE_AGENTS_DIR;
  process.env.ROUSE_TEST_ROOT ??= root;
  const { loadSource } = await import('./load-source.mjs');
  const { runRounds } = await loadSource('test/agents/round/run-rounds.ts');
  const last = [];
  let whole = true;
  for (const tool of tried) {
    const { ok, lines } = await runRounds({ tool, rounds, variants, say: console.log });
    last.push(...lines);
    whole &&= ok;
  }
  console.log(last.join('\n'));
  return whole;
}
