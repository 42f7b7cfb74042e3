import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshClone } from '../support/fresh-clone.ts';
import { serveRegistry } from '../support/npm-registry.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The size of the package to download, with the prepared database. */
const MAX_PACKAGE_BYTES = 4_000_000;
const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-install-'));
const at = (...names: string[]): string => path.join(place, ...names);
const clone = at('clone');

beforeAll(() => {
  fs.mkdirSync(at('home'));
  freshClone(clone);
}, 300_000);

afterAll(() => fs.rmSync(place, { recursive: true, force: true }), 300_000);

/** npm passes its settings on to everything it starts, including this test. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^ROUSE_/i.test(name)),
);
const env = { ...clean, HOME: at('home'), npm_config_update_notifier: 'false' };

async function run(program: string, args: string[], more: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const done = await promisify(execFile)(program, args, { cwd: place, env, ...more }).catch((error) => error);
  return { code: done.code ?? 0, out: done.stdout as string, err: done.stderr as string };
}

const files = (directory: string): string[] =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [] : [path.join(entry.parentPath, entry.name)]));

describe('a copy that cannot run says so in one sentence', () => {
  it('a copy that is not built says so in one sentence', async () => {
    expect(await run(path.join(clone, 'bin', 'rouse'), ['--version'])).toEqual({
      code: 7,
      out: '',
      err: `rouse: this copy is not built; run "npm run prepare" in ${fs.realpathSync(clone)}\n`,
    });
  });

  it('a copy without Node says so in one sentence', async () => {
    fs.mkdirSync(at('bare'));
    const refused = await run('/bin/sh', [path.join(ROOT, 'bin', 'rouse')], {
      env: { ...env, PATH: at('bare') },
    });
    expect(refused).toEqual({
      code: 7,
      out: '',
      err: 'rouse: Node is not on the PATH; install Node 20.19 or newer\n',
    });
  });

  it('a copy whose Node is too old says so in one sentence', async () => {
    const older = at('older.cjs');
    fs.writeFileSync(
      older,
      `Object.defineProperty(process, 'version', { value: 'v18.20.4' });
       Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });`,
    );
    const refused = await run(path.join(ROOT, 'bin', 'rouse'), ['--version'], {
      env: { ...env, NODE_OPTIONS: `--require ${older}` },
    });
    expect(refused).toEqual({
      code: 7,
      out: '',
      err: 'rouse: needs Node 20.19 or newer; this is v18.20.4\n',
    });
  });

  it.each(['@photostructure/sqlite', 'koffi'])(
    'a copy that cannot run says so in one sentence when %s is not there, and blames no file of the user',
    async (part) => {
      const copy = at(part.replace('/', '-'));
      fs.mkdirSync(path.join(copy, 'bin'), { recursive: true });
      fs.copyFileSync(path.join(ROOT, 'bin', 'rouse'), path.join(copy, 'bin', 'rouse'));
      fs.cpSync(path.join(ROOT, 'dist'), path.join(copy, 'dist'), { recursive: true });
      const other = part === 'koffi' ? '@photostructure/sqlite' : 'koffi';
      const link = path.join(copy, 'node_modules', other);
      fs.mkdirSync(path.dirname(link), { recursive: true });
      fs.symlinkSync(path.join(ROOT, 'node_modules', other), link);
      const home = at(`home-${path.basename(copy)}`);
      const tried = { env: { ...env, ROUSE_HOME: home } };
      for (const words of ['init', 'repair']) {
        const refused = await run(path.join(copy, 'bin', 'rouse'), ['mailbox', words], tried);
        expect([refused.code, refused.err]).toEqual([
          7,
          expect.stringMatching(
            new RegExp(
              `^error: a part of Rouse, the package ${part}, cannot be loaded: .*\\ninstall Rouse again`,
            ),
          ),
        ]);
      }
    },
  );
});

describe('npm install --global', () => {
  it('npm install --global of a fresh clone builds it, links it, and uninstalling leaves nothing', async () => {
    const prefix = ['--global', '--prefix', at('linked')];
    const installed = await run('npm', ['install', ...prefix, '--offline', '.'], { cwd: clone });
    // npm 12 builds only what it is allowed to; the program names the command that builds the rest.
    if (/blocked because they are not covered/.test(installed.err))
      await run('npm', ['run', 'prepare'], { cwd: clone });
    expect(installed.code, installed.err).toBe(0);
    for (const name of ['rouse', 'houmao-mgr'])
      expect((await run(at('linked', 'bin', name), ['--version'])).out).toBe(`rouse ${version}\n`);
    expect((await run(at('linked', 'bin', 'rouse'), ['mailbox', 'init'])).code).toBe(0);
    expect((await run('npm', ['uninstall', ...prefix, 'rouse'])).code).toBe(0);
    expect(files(at('linked')).filter((file) => !file.endsWith('.package-lock.json'))).toEqual([]);
  });

  it('npm install --global of the packed tarball, and npx with it, give a program that needs neither clone nor network', async () => {
    const packed = await run('npm', ['pack', '--json', '--pack-destination', place], { cwd: clone });
    expect(packed.code, packed.err).toBe(0);
    const [{ filename, size, files: inside }] = Object.values(JSON.parse(packed.out)) as [
      { filename: string; size: number; files: { path: string }[] },
    ];
    expect(size).toBeLessThan(MAX_PACKAGE_BYTES);
    const names = inside.map((file) => file.path);
    expect(names).toEqual(
      expect.arrayContaining([
        'bin/rouse',
        'dist/rouse.cjs',
        'dist/gateway.js',
        'dist/sbom.cdx.json',
        'README.md',
      ]),
    );
    expect(names.filter((name) => /^(src|test|scripts|node_modules)\//.test(name))).toEqual([]);
    // Code compiled by V8 would run instead of the JavaScript beside it, and could not be audited.
    expect(names.filter((name) => name.endsWith('.cache'))).toEqual([]);
    const registry = await serveRegistry(path.join(ROOT, 'node_modules'));
    const from = { env: { ...env, npm_config_registry: registry.url } };
    try {
      const prefix = ['--global', '--prefix', at('copied')];
      const installed = await run('npm', ['install', ...prefix, at(filename)], from);
      expect(installed.code, installed.err).toBe(0);
      const npx = ['--yes', '--package', at(filename), 'rouse', '--version'];
      expect(await run('npx', npx, from)).toMatchObject({ code: 0, out: expect.stringContaining(version) });
    } finally {
      registry.close();
    }
    const asked = registry.asked.length;
    const away = { cwd: '/', env: { ...env, ROUSE_HOME: at('state') } };
    fs.renameSync(clone, at('moved'));
    expect((await run(at('copied', 'bin', 'rouse'), ['--version'], away)).out).toBe(`rouse ${version}\n`);
    expect(await run(at('copied', 'bin', 'rouse'), ['mailbox', 'init'], away)).toMatchObject({ code: 0 });
    expect(registry.asked.length).toBe(asked);
    expect((await run('npm', ['uninstall', '--global', '--prefix', at('copied'), 'rouse'])).code).toBe(0);
    expect(files(at('copied')).filter((file) => !file.endsWith('.package-lock.json'))).toEqual([]);
  });
});
