// The real command lines that `npm run test:agents` tries, in versions that are known, each in a folder of its own outside
// the project. Node's own modules only.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Lightest first: that is the order in which they are tried. */
export const CLIS = {
  pi: { package: '@mariozechner/pi-coding-agent', version: '0.73.1' },
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.325' },
  codex: { package: '@openai/codex', version: '0.166.0' },
  copilot: { package: '@github/copilot', version: '1.0.102' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  kimi: { package: '@moonshot-ai/kimi-code', version: '2.1.0', newerNode: true },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4', newerNode: true },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
};

/** For those that need it where the tests run on an older one. */
const NEWER_NODE = { name: 'node', package: 'node', version: '24.21.0' };
const MINUTES_FOR_AN_INSTALL = 20;

export function clisDirectory() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return process.env.ROUSE_TEST_CLIS || path.join(cache, 'rouse-test', 'clis');
}

/** What goes before PATH for one of them, installed or not. */
export function cliDirectories(name) {
  return partsOf(name).map(binOf);
}

function partsOf(name) {
  const { newerNode, ...cli } = CLIS[name];
  const isOld = Number(process.versions.node.split('.')[0]) < 22;
  return [...(newerNode && isOld ? [NEWER_NODE] : []), { name, ...cli }];
}

const placeOf = ({ name, version }) => path.join(clisDirectory(), `${name}@${version}`);
const binOf = (part) => path.join(placeOf(part), 'node_modules', '.bin');

/** Installs what is missing, one after the other. Answers with why a tool cannot be tried, by its name. */
export async function ensureClis(names, say = console.log) {
  const failures = {};
  for (const name of names) {
    try {
      for (const part of partsOf(name)) await ensureCli(part, say);
      proveRuns(name);
    } catch (error) {
      failures[name] = error.message;
    }
  }
  return failures;
}

async function ensureCli(part, say) {
  const { name, package: packageName, version } = part;
  if (existsSync(path.join(binOf(part), name))) return;
  const place = placeOf(part);
  mkdirSync(clisDirectory(), { recursive: true });
  say(`Installing ${packageName}@${version} into ${place} (npm) …`);
  const began = mkdtempSync(path.join(clisDirectory(), `.${name}-`));
  try {
    // Several of them fetch or unpack their program in a script of theirs.
    const own = { private: true, allowScripts: { [packageName]: true } };
    writeFileSync(path.join(began, 'package.json'), JSON.stringify(own));
    await npmInstall(began, `${packageName}@${version}`);
    rmSync(place, { recursive: true, force: true });
    renameSync(began, place);
  } finally {
    rmSync(began, { recursive: true, force: true });
  }
}

function npmInstall(cwd, spec) {
  const args = [
    'install',
    '--save-exact',
    '--no-fund',
    '--no-audit',
    '--no-progress',
    '--ignore-scripts=false',
  ];
  const npm = spawn('npm', [...args, '--loglevel=error', spec], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  npm.stdout.on('data', (text) => (said += text));
  npm.stderr.on('data', (text) => (said += text));
  const limit = setTimeout(() => npm.kill(), MINUTES_FOR_AN_INSTALL * 60_000);
  return new Promise((resolve, reject) => {
    npm.on('error', (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    npm.on('close', (code) => {
      clearTimeout(limit);
      if (code === 0) return resolve();
      reject(new Error(`npm install ${spec} failed (${code ?? 'ended'}): ${said.trim().slice(-2000)}`));
    });
  });
}

function proveRuns(name) {
  const { version } = CLIS[name];
  const HOME = mkdtempSync(path.join(clisDirectory(), '.home-'));
  try {
    const PATH = [...cliDirectories(name), process.env.PATH].join(path.delimiter);
    const options = { env: { PATH, HOME, LANG: 'C.UTF-8' }, cwd: HOME, encoding: 'utf8', timeout: 120_000 };
    const { stdout, stderr, error } = spawnSync(name, ['--version'], options);
    const said = `${stdout ?? ''}${stderr ?? ''}`.trim();
    if (!said.includes(version))
      throw new Error(`${name} --version did not say ${version}: ${error?.message ?? said.slice(0, 500)}`);
  } finally {
    rmSync(HOME, { recursive: true, force: true });
  }
}
