// The real command lines that `npm run test:agents` tries, in known versions, each in its own folder outside the project.
// Only Node's own modules.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * They are tried in this order, the lightest first. `bundle`: the program is in its own package except for these; its other
 * dependencies are for developers, and not every registry has them.
 */
export const CLIS = {
  pi: {
    package: '@earendil-works/pi-coding-agent',
    version: '1.5.2',
    newerNode: true,
    bundle: ['jiti@2.7.0'],
  },
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.327' },
  codex: { package: '@openai/codex', version: '0.169.0' },
  copilot: { package: '@github/copilot', version: '1.0.102' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  kimi: { package: '@moonshot-ai/kimi-code', version: '2.1.0', newerNode: true },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4', newerNode: true },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
};

const NEWER_NODE = { name: 'node', package: 'node', version: '24.21.0' };
const MINUTES_FOR_AN_INSTALL = 20;

export function clisDirectory() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return process.env.ROUSE_TEST_CLIS || path.join(cache, 'rouse-test', 'clis');
}

/** The directories to put before PATH for one of them, installed or not. */
export function cliDirectories(name) {
  return partsOf(name).map(binOf);
}

function partsOf(name) {
  const { newerNode, ...cli } = CLIS[name];
  return [...(newerNode ? newerNodeParts() : []), { name, ...cli }];
}

/** A newer Node for tools that need it, if the tests run on an older one. */
export const newerNodeParts = () => (Number(process.versions.node.split('.')[0]) < 22 ? [NEWER_NODE] : []);

const directoryOf = ({ directory = clisDirectory() }) => directory;
export const placeOf = (part) => path.join(directoryOf(part), `${part.name}@${part.version}`);
export const binOf = (part) => path.join(placeOf(part), 'node_modules', '.bin');

/** Installs missing tools one after the other. Returns, by name, why a tool cannot be tried. */
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

/** Installs a package in its own folder if it is missing. */
export async function ensureCli(part, say = console.log) {
  const { name, package: packageName, version } = part;
  const place = placeOf(part);
  if (existsSync(path.join(place, 'node_modules', packageName))) return;
  mkdirSync(directoryOf(part), { recursive: true });
  say(`Installing ${packageName}@${version} into ${place} (npm) …`);
  const began = mkdtempSync(path.join(directoryOf(part), `.${name}-`));
  try {
    // Several of them fetch or unpack their program in an install script.
    const own = { private: true, allowScripts: { [packageName]: true } };
    writeFileSync(path.join(began, 'package.json'), JSON.stringify(own));
    await npmInstall(began, part.bundle ?? [`${packageName}@${version}`]);
    if (part.bundle) await unpackBundle(began, part);
    rmSync(place, { recursive: true, force: true });
    renameSync(began, place);
  } finally {
    rmSync(began, { recursive: true, force: true });
  }
}

function npmInstall(cwd, specs) {
  const args = ['--save-exact', '--no-fund', '--no-audit', '--no-progress', '--ignore-scripts=false'];
  return npm(cwd, ['install', ...args, ...specs]);
}

/** Unpacks the package without its dependencies, and links its command as npm would. */
async function unpackBundle(cwd, { name, package: packageName, version }) {
  await npm(cwd, ['pack', `${packageName}@${version}`]);
  const [archive] = readdirSync(cwd).filter((file) => file.endsWith('.tgz'));
  const place = path.join(cwd, 'node_modules', packageName);
  const bin = path.join(cwd, 'node_modules', '.bin');
  for (const directory of [place, bin]) mkdirSync(directory, { recursive: true });
  const { status } = spawnSync('tar', ['-xzf', archive, '-C', place, '--strip-components=1'], { cwd });
  if (status !== 0) throw new Error(`${archive} cannot be unpacked`);
  const own = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  const program = path.join(place, own.bin[name]);
  chmodSync(program, 0o755);
  symlinkSync(path.relative(bin, program), path.join(bin, name));
}

function npm(cwd, args) {
  const child = spawn('npm', [...args, '--loglevel=error'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (said += text));
  const limit = setTimeout(() => child.kill(), MINUTES_FOR_AN_INSTALL * 60_000);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    child.on('close', (code) => {
      clearTimeout(limit);
      if (code === 0) return resolve();
      reject(
        new Error(`npm ${args[0]} ${args.at(-1)} failed (${code ?? 'ended'}): ${said.trim().slice(-2000)}`),
      );
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
      throw new Error(`${name} --version did not print ${version}: ${error?.message ?? said.slice(0, 500)}`);
  } finally {
    rmSync(HOME, { recursive: true, force: true });
  }
}
