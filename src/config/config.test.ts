import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asRouseError } from '../base/index.ts';
import {
  type Config,
  loadConfig,
  presetOf,
  settingOf,
  teamOf,
  trustProject,
  untrustProject,
} from './index.ts';

let root: string;
const at = (...names: string[]): string => path.join(root, ...names);

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-config-')));
  for (const name of ['person/.config/rouse', 'project/deep/down', 'home'])
    fs.mkdirSync(at(name), { recursive: true });
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const load = (env: NodeJS.ProcessEnv = {}, cwd = at('project/deep/down')): Promise<Config> =>
  loadConfig({ env: { HOME: at('person'), ...env }, cwd, home: at('home') });
const own = (text: string): void =>
  fs.writeFileSync(at('person/.config/rouse/config.toml'), text, { mode: 0o600 });
const project = (text: string): void => fs.writeFileSync(at('project/.rouse.toml'), text, { mode: 0o644 });
const trust = async (): Promise<void> => trustProject(at('home'), (await load()).project!.file!, {});

async function problem(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    const { code, message } = asRouseError(error);
    return `${code}: ${message.replaceAll(root, '')}`;
  }
  return 'none';
}

describe("one's own file", () => {
  it('the own file is found by XDG_CONFIG_HOME, else below ~/.config, and may be missing', async () => {
    expect((await load()).own).toMatchObject({
      path: at('person/.config/rouse/config.toml'),
      file: undefined,
    });
    expect((await load({ XDG_CONFIG_HOME: at('xdg') })).own.path).toBe(at('xdg/rouse/config.toml'));
    expect((await load({ XDG_CONFIG_HOME: 'relative' })).own.path).toBe(
      at('person/.config/rouse/config.toml'),
    );
  });

  it('each value of the own file has its line, also a value over several lines', async () => {
    own(
      '# mine\nmailbox_root = "~/mail"\n\n[tools.rev]\nargs = [\n  "--model",\n  "o5",\n]\nrole = """\nrole = "no key"\n"""\n',
    );
    const config = await load();
    expect(settingOf(config, 'mailbox_root')).toMatchObject({ value: at('person/mail') });
    const line = (key: string): string => path.basename(settingOf(config, key)!.source);
    expect([line('mailbox_root'), line('tools.rev.args'), line('tools.rev.role')]).toEqual([
      'config.toml:2',
      'config.toml:5',
      'config.toml:9',
    ]);
  });

  it.each([
    ['mailbx_root = "/x"', 'config.toml:1: there is no key "mailbx_root"'],
    [
      '\nwake.interval_seconds = "60"',
      'config.toml:2: wake.interval_seconds must be a whole number from 1 to 31622400, not "60"',
    ],
    ['wake.interval_seconds = 1.5', 'config.toml:1: wake.interval_seconds must be a whole number'],
    ['wake.repeat = "often"', 'wake.repeat must be one of every_poll, on_change, backoff, not "often"'],
    ['wake.on = "yes"', 'wake.on must be true or false'],
    ['wake.quiet_hours = "22:00-25:00"', 'must be two different times of day'],
    ['wake.time_zone = "Europe/Nowhere"', 'must be an IANA time zone'],
    ['wake = 5', 'wake must be a table: write [wake]'],
    ['mailbox_root = "mail"', 'must be an absolute path, or one that begins with ~/'],
    ['x = ', 'config.toml:1: '],
    ['a = 1\na = 2', 'config.toml:2: '],
    ['[fleets.a]\nurl = "http://me:secret@host"', 'without a token in it'],
    ['[fleets.a]\nurl = "file:///etc/passwd"', 'must be an address such as'],
    ['tools.claude.args = "--model"', 'must be a list of texts'],
    ['tools.claude.env.MY_API_KEY = "s"', 'MY_API_KEY looks like a secret'],
    ['tools.claude.env.ROUSE_HOME = "/x"', 'ROUSE_HOME is set by Rouse itself'],
    ['[team."a b"]\ntool = "claude"', '"a b" is not the name of an agent'],
    ['[nothing]', 'there is no key "nothing"'],
    ['__proto__.polluted = true', 'there is no key "__proto__.polluted"'],
  ])('a wrong own file is refused as a whole with file and line: %s', async (text, expected) => {
    own(text);
    expect(await problem(load)).toContain(`invalid: `);
    expect(await problem(load)).toContain(expected);
  });

  it('the own file is used through a link, and refused when others can write it', async () => {
    fs.writeFileSync(at('elsewhere.toml'), 'tmux_socket = "mine"', { mode: 0o600 });
    fs.symlinkSync(at('elsewhere.toml'), at('person/.config/rouse/config.toml'));
    expect(settingOf(await load(), 'tmux_socket')?.value).toBe('mine');
    fs.chmodSync(at('elsewhere.toml'), 0o666);
    expect(await problem(load)).toBe(
      'forbidden: /person/.config/rouse/config.toml can be written by other accounts',
    );
  });

  it('ROUSE_CONFIG=none reads no own file, and a path reads another one', async () => {
    own('nonsense');
    expect(await load({ ROUSE_CONFIG: 'none' })).toMatchObject({
      project: undefined,
      own: { checked: undefined },
    });
    fs.writeFileSync(at('other.toml'), 'tmux_socket = "other"', { mode: 0o600 });
    expect(settingOf(await load({ ROUSE_CONFIG: at('other.toml') }), 'tmux_socket')?.value).toBe('other');
    expect(await problem(() => load({ ROUSE_CONFIG: 'other.toml' }))).toContain('must be an absolute path');
  });
});

describe("a project's file", () => {
  it("a project's file is found upwards from the working directory, and used only while it is as trusted", async () => {
    project('wake.on = true');
    expect((await load()).project).toMatchObject({ state: 'untrusted', checked: undefined });
    await trust();
    expect(settingOf(await load(), 'wake.on')).toMatchObject({ value: true, byProject: true });
    project('wake.on = false');
    expect((await load()).project).toMatchObject({ state: 'changed', checked: undefined });
    await trust();
    expect(settingOf(await load(), 'wake.on')?.value).toBe(false);
    untrustProject(at('home'), at('project/.rouse.toml'));
    expect((await load()).project?.state).toBe('untrusted');
  });

  it("a project's file that is not trusted is not even parsed, so it cannot stop a command", async () => {
    project('\u0000 = = [');
    expect((await load()).project?.state).toBe('untrusted');
  });

  it('the list of trusted files is private, and an agent cannot add to it', async () => {
    project('');
    const file = (await load()).project!.file!;
    expect(await problem(() => trustProject(at('home'), file, { HOUMAO_MANIFEST_PATH: '/x' }))).toContain(
      'forbidden: an agent',
    );
    await trust();
    expect(fs.statSync(at('home/config/trusted.json')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(at('home/config')).mode & 0o777).toBe(0o700);
  });

  it.each([
    'fleets.a.url = "http://evil"',
    'fleets.a.token_file = "x"',
    'tmux_socket = "x"',
    'tools.claude.home = "x"',
    'tools.claude.env.ANTHROPIC_BASE_URL = "http://evil"',
  ])("a project's file cannot set keys of the own file: %s", async (text) => {
    project(text);
    await trust();
    expect(await problem(load)).toMatch(/^invalid: \/project\/\.rouse\.toml:1: a project's file cannot set /);
  });

  it.each([
    ['mailbox_root = "../mail"', 'must be a relative path inside'],
    ['mailbox_root = "/tmp"', 'must be a relative path inside'],
    ['mailbox_root = "~/mail"', 'none'],
    ['team.a.workdir = "out"', 'must be a relative path inside'],
    ['team.a.workdir = "nowhere"', 'must be a relative path inside'],
    ['team.a.workdir = "deep"', 'none'],
    ['team.a.tool = "/bin/sh"', 'cannot name programs'],
    ['team.a.tool = "command"', 'cannot name programs'],
    ['tools.a.tool = "./claude"', 'cannot name programs'],
    ['tools.a.role = "--dangerously"', 'must be a text that begins with a letter'],
    ['tools.a.role = "!rm -rf ~"', 'must be a text that begins with a letter'],
  ])("a project's file cannot name programs or places outside its directory: %s", async (text, expected) => {
    fs.symlinkSync(os.tmpdir(), at('project/out'));
    fs.symlinkSync(at('not-yet'), at('project/nowhere'));
    project(text);
    await trust();
    expect(await problem(load)).toContain(expected);
  });

  it("a project's file is not read when it is a link, a pipe, a directory, too large, or in a world-writable directory", async () => {
    const file = at('project/.rouse.toml');
    const refused = async (prepare: () => void): Promise<string | undefined> => {
      fs.rmSync(file, { recursive: true, force: true });
      prepare();
      const found = (await load()).project;
      expect(found).toMatchObject({ state: 'refused', file: undefined, checked: undefined });
      return found?.problem?.message;
    };
    expect(await refused(() => fs.symlinkSync('/etc/passwd', file))).toContain('is a symbolic link');
    expect(await refused(() => void execFileSync('mkfifo', [file]))).toContain('is not a regular file');
    expect(await refused(() => fs.mkdirSync(file))).toContain('is not a regular file');
    expect(await refused(() => project('#'.repeat(70_000)))).toContain('is larger than');
    expect(await refused(() => fs.symlinkSync('/dev/zero', file))).toContain('is a symbolic link');
    fs.rmSync(file);
    project('');
    fs.chmodSync(at('project'), 0o777);
    expect((await load()).project?.problem?.message).toContain('can be written by every account');
    fs.chmodSync(at('project'), 0o1777);
    expect((await load()).project?.state).toBe('untrusted');
  });

  it.runIf(process.getuid?.() === 0)("a project's file of another account is not read", async () => {
    project('');
    fs.chownSync(at('project/.rouse.toml'), 12_345, 12_345);
    // The same rule for root: a file that another account can change is not used.
    expect((await load()).project?.problem?.message).toContain('belongs to another account (uid 12345)');
  });

  it("a project's file wins over the own file, but does not replace its presets", async () => {
    own(
      'wake.on = true\nwake.repeat = "backoff"\ntools.claude.args = ["--permission-mode", "plan"]\n[team.own]\ntool = "claude"',
    );
    project('wake.on = false\ntools.claude.args = ["--model", "x"]\n[team.ana]\ntool = "claude"');
    expect(Object.keys(Object.fromEntries(teamOf(await load())!.members))).toEqual(['own']);
    await trust();
    const config = await load();
    expect([settingOf(config, 'wake.on')?.value, settingOf(config, 'wake.repeat')?.value]).toEqual([
      false,
      'backoff',
    ]);
    expect(presetOf(config, 'claude')).toMatchObject({
      byProject: false,
      value: { args: ['--permission-mode', 'plan'] },
    });
    expect(teamOf(config)?.members.map(([name]) => name)).toEqual(['ana']);
  });
});
