import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asRouseError } from '../base/index.ts';
import { type Config, loadConfig, trustProject } from '../config/index.ts';
import { wakePolicy } from './agents/wake.ts';
import { withPreset } from './config/preset.ts';
import { choices, readSettings } from './settings.ts';

let root: string;
const at = (...names: string[]): string => path.join(root, ...names);

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-settings-')));
  fs.mkdirSync(at('project'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ HOME: root, ...more });

/** Both files, trusted. */
async function files(own: string, project?: string): Promise<Config> {
  fs.writeFileSync(at('own.toml'), own, { mode: 0o600 });
  const place = { env: env({ ROUSE_CONFIG: at('own.toml') }), cwd: at('project'), home: at('.rouse') };
  if (project === undefined) return loadConfig(place);
  fs.writeFileSync(at('project/.rouse.toml'), project, { mode: 0o644 });
  trustProject(at('.rouse'), (await loadConfig(place)).project!.file!, {});
  return loadConfig(place);
}

const problem = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    const { code, message } = asRouseError(error);
    return `${code}: ${message.replaceAll(root, '')}`;
  }
  return 'none';
};

describe('a setting', () => {
  it('a setting comes from the environment, else the project’s file, else the own file, else the default', async () => {
    const own = 'mailbox_root = "/own"';
    const project = 'mailbox_root = "mail"';
    const of = (config: Config, more = {}): string[] => {
      const { mailboxDir, mailboxFrom } = readSettings(env(more), config);
      const choice = choices(env(more), config).find(({ key }) => key === 'mailbox_root')!;
      expect(choice).toMatchObject({ value: mailboxDir, from: mailboxFrom });
      return [mailboxDir, choice.source].map((text) => text.replace(root, ''));
    };
    expect(of(await files(''))).toEqual(['/.rouse/mailbox', 'default']);
    expect(of(await files(own))).toEqual(['/own', '/own.toml:1']);
    expect(of(await files(own, project))).toEqual(['/project/mail', '/project/.rouse.toml:1']);
    const variable = { HOUMAO_GLOBAL_MAILBOX_DIR: '/given' };
    expect(of(await files(own, project), variable)).toEqual(['/given', 'HOUMAO_GLOBAL_MAILBOX_DIR']);
  });

  it('a fleet is named in the own file, and its token is used only for that fleet', async () => {
    const own =
      'fleet = "a"\n[fleets.a]\nurl = "http://a:1"\ntoken_file = "/a.token"\n[fleets.b]\nurl = "http://b:2"';
    const fleet = (config: Config, more = {}): unknown => readSettings(env(more), config).fleet;
    expect(fleet(await files(own))).toEqual({ url: 'http://a:1', tokenFile: '/a.token' });
    expect(fleet(await files(own, 'fleet = "b"'))).toEqual({
      url: 'http://b:2',
      tokenFile: at('.rouse/server/admin-token'),
    });
    expect(fleet(await files(own), { ROUSE_FLEET_URL: 'http://c:3' })).toEqual({
      url: 'http://c:3',
      tokenFile: at('.rouse/server/admin-token'),
    });
    expect(await problem(async () => fleet(await files(own, 'fleet = "evil"')))).toBe(
      'invalid: /project/.rouse.toml:1: there is no fleet "evil" with a url in /own.toml',
    );
  });

  it('wake settings come from the files, else they are the usual ones', async () => {
    const config = await files(
      '[wake]\ninterval_seconds = 5\nquiet_hours = "22:00-07:00"\ntime_zone = "Europe/Zurich"',
    );
    expect(wakePolicy(readSettings(env(), config))).toMatchObject({
      interval_seconds: 5,
      repeat: 'backoff',
      quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Zurich' },
    });
    expect(wakePolicy(readSettings(env(), await files('')))).not.toHaveProperty('quiet_hours');
  });
});

describe('a preset', () => {
  const launch = (tool: string, args: string[] = []) => ({
    tool,
    args,
    rolePrompt: undefined,
    home: undefined,
  });

  it('the arguments of a preset come after those of its tool and before those of the line', async () => {
    const config = await files(
      '[tools.claude]\nargs = ["--permission-mode", "plan"]\nenv.LANG = "C"\n[tools.rev]\ntool = "claude"\nargs = ["--model", "opus"]\nrole = "You review."',
    );
    expect(await withPreset(config, launch('rev', ['--model', 'haiku']))).toMatchObject({
      tool: 'claude',
      args: ['--permission-mode', 'plan', '--model', 'opus', '--model', 'haiku'],
      rolePrompt: 'You review.',
      env: { LANG: 'C' },
    });
    expect(await withPreset(config, { ...launch('claude'), rolePrompt: 'Mine.' })).toMatchObject({
      args: ['--permission-mode', 'plan'],
      rolePrompt: 'Mine.',
    });
    expect(await withPreset(config, launch('codex'))).toEqual(launch('codex'));
  });

  it('a project’s preset is added to the own file’s preset of the tool, and allows nothing more', async () => {
    const own = '[tools.claude]\nargs = ["--permission-mode", "plan"]';
    const config = await files(own, '[tools.rev]\ntool = "claude"\nargs = ["--model=opus"]');
    expect((await withPreset(config, launch('rev'))).args).toEqual([
      '--permission-mode',
      'plan',
      '--model=opus',
    ]);
  });

  it.each([
    ['claude', '["--dangerously-skip-permissions"]'],
    ['claude', '["--model", "--dangerously-skip-permissions"]'],
    ['claude', '["--model", "x", "--mcp-config", "evil.json"]'],
    ['claude', '["--model"]'],
    ['claude', '["do this"]'],
    ['codex', '["-c", "sandbox_mode=\\"danger-full-access\\""]'],
    ['codex', '["--yolo"]'],
    ['gemini', '["--yolo"]'],
    ['scripted', '["--transcript", "/home/x/.ssh/authorized_keys"]'],
  ])('a project’s preset can pass %s only harmless arguments, not %s', async (tool, args) => {
    const config = await files('', `[tools.x]\ntool = "${tool}"\nargs = ${args}`);
    expect(await problem(() => withPreset(config, launch('x')))).toContain(
      `forbidden: /project/.rouse.toml:1: a project's file cannot pass ${tool} the argument`,
    );
  });

  it('a project’s preset cannot name a program, under any name', async () => {
    const config = await files('', '[tools.curl]\nargs = []');
    expect(await problem(() => withPreset(config, launch('curl')))).toContain('there is no tool "curl"');
  });

  it('a preset takes its role from a file, a project’s preset only from inside the project', async () => {
    fs.writeFileSync(at('project/role.md'), '# Reviewer\n', { mode: 0o644 });
    const config = await files('', '[tools.rev]\ntool = "claude"\nrole_file = "role.md"');
    expect((await withPreset(config, launch('rev'))).rolePrompt).toBe('# Reviewer');
    fs.rmSync(at('project/role.md'));
    fs.symlinkSync('/etc/passwd', at('project/role.md'));
    expect(await problem(() => withPreset(config, launch('rev')))).toContain('is a symbolic link');
  });
});
