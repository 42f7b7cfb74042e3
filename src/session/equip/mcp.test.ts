import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type McpEntry, toolNames } from '../../tools/index.ts';
import { temporaryDirectory } from '../testing.ts';
import { installMcp, shownMcpConfig, withoutMcp } from './mcp.ts';

let home: string;
beforeEach(() => {
  home = temporaryDirectory();
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const entry: McpEntry = {
  command: '/opt/r ouse',
  args: ['mcp'],
  env: { HOUMAO_MANIFEST_PATH: '/s/"x"/manifest.json' },
};
const install = (tool: string, more: Partial<McpEntry> = {}) =>
  installMcp({ tool, env: { HOME: home }, entry: { ...entry, ...more } });

describe.each(toolNames((tool) => tool.mcp?.config))('the configuration of %s', (tool) => {
  it("a tool's configuration gets our server once, in a file that only its owner can read", () => {
    const { file, was } = install(tool);
    expect(was).toBe('absent');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toContain('rouse');
    expect(install(tool).was).toBe('same');
    expect(fs.readFileSync(file, 'utf8')).toBe(text);
    expect(install(tool, { command: '/new/rouse' }).was).toBe('other');
    const after = fs.readFileSync(file, 'utf8');
    expect(after).toContain('/new/rouse');
    expect(after).not.toContain('/opt/r ouse');
  });

  it('our server is only printed with --print', () => {
    const { file, text } = shownMcpConfig({ tool, env: { HOME: home }, entry });
    expect(text).toContain('/opt/r ouse');
    expect(fs.existsSync(file)).toBe(false);
  });
});

describe('JSON configuration', () => {
  const file = (): string => path.join(home, '.gemini', 'settings.json');
  const write = (text: string, mode = 0o640): void => {
    fs.mkdirSync(path.dirname(file()));
    fs.writeFileSync(file(), text, { mode });
    fs.chmodSync(file(), mode);
  };

  it('JSON configuration keeps everything else, and its mode', () => {
    const other = { ui: { theme: 'x' }, mcpServers: { mine: { command: 'y' } } };
    write(JSON.stringify(other));
    install('gemini');
    expect(JSON.parse(fs.readFileSync(file(), 'utf8'))).toEqual({
      ...other,
      mcpServers: { ...other.mcpServers, rouse: entry },
    });
    expect(fs.statSync(file()).mode & 0o777).toBe(0o640);
  });

  it.each(['{ // mine\n}', '[]', '{"mcpServers": []}', 'null', '{'])(
    'leaves %j as it is and says so',
    (text) => {
      write(text);
      expect(() => install('gemini')).toThrow(/is left as it is/);
      expect(fs.readFileSync(file(), 'utf8')).toBe(text);
    },
  );

  it('JSON configuration is written through a link to where the person keeps it', () => {
    const real = path.join(home, 'dotfiles.json');
    fs.writeFileSync(real, '{"a":1}');
    fs.mkdirSync(path.dirname(file()));
    fs.symlinkSync(real, file());
    install('gemini');
    expect(fs.lstatSync(file()).isSymbolicLink()).toBe(true);
    expect(JSON.parse(fs.readFileSync(real, 'utf8'))).toMatchObject({ a: 1, mcpServers: { rouse: entry } });
  });
});

describe('TOML configuration', () => {
  const file = (): string => path.join(home, '.codex', 'config.toml');
  const write = (text: string): void => {
    fs.mkdirSync(path.dirname(file()), { recursive: true });
    fs.writeFileSync(file(), text);
  };
  const read = (): string => fs.readFileSync(file(), 'utf8');

  it('TOML configuration gets our tables replaced, wherever they are, and keeps all other lines', () => {
    write(
      'model = "m" # mine\n\n[mcp_servers.rouse]\ncommand = "old"\n\n[mcp_servers.rouse.env]\nA = "b"\n\n[mcp_servers.other]\ncommand = "x"\n',
    );
    expect(install('codex').was).toBe('other');
    expect(read()).toMatch(
      /^model = "m" # mine\n\n\[mcp_servers\.other\]\ncommand = "x"\n\n\[mcp_servers\.rouse\]\n/,
    );
    expect(read()).not.toContain('old');
    expect(read()).toContain('env = { HOUMAO_MANIFEST_PATH = "/s/\\"x\\"/manifest.json" }');
    expect(install('codex').was).toBe('same');
  });

  it.each([
    'mcp_servers.rouse.command = "x"\n',
    'mcp_servers = {}\n',
    '[mcp_servers]\nrouse = { command = "x" }\n',
  ])('TOML configuration %j is left as it is and reported', (text) => {
    write(text);
    expect(() => install('codex')).toThrow(/is left as it is/);
    expect(read()).toBe(text);
  });

  it('TOML configuration loses no other line, whatever tables there are', () => {
    const line = fc.constantFrom('[a]', '[mcp_servers.x]', 'k = 1', '# c', '', '[[b]]', 's = "t"');
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        write(lines.join('\n'));
        install('codex');
        const kept = read().split('[mcp_servers.rouse]')[0]!;
        expect(kept.split('\n').filter((each) => each !== '')).toEqual(lines.filter((each) => each !== ''));
        expect(install('codex').was).toBe('same');
      }),
      { numRuns: 50 },
    );
  });
});

describe('taking our server out of a file that was edited since', () => {
  const manifest = entry.env['HOUMAO_MANIFEST_PATH']!;
  const put = (tool: string, before: string): string => {
    const { file } = shownMcpConfig({ tool, env: { HOME: home }, entry });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, before);
    install(tool);
    return fs.readFileSync(file, 'utf8');
  };
  const out = (tool: string, now: string, before?: string) => withoutMcp({ tool, manifest }, now, before);

  it.each(['', 'model = "m"\n', '[mcp_servers.other]\ncommand = "x"\n'])('of TOML %j', (before) => {
    const now = put('codex', before);
    expect(out('codex', `${now}\n[tui]\nnew = 1\n`, before)).toBe(
      `${`${before}\n`.trimStart()}[tui]\nnew = 1\n`,
    );
    expect(out('codex', now.replaceAll('manifest.json', 'another'), before)).toBeUndefined();
  });

  it('removing our server from edited JSON restores the server of that name from before', () => {
    const before = '{"mcpServers":{"rouse":{"command":"mine"}}}';
    const now = JSON.stringify({ ...JSON.parse(put('claude', before)), since: 1 });
    expect(JSON.parse(out('claude', now, before)!)).toEqual({ ...JSON.parse(before), since: 1 });
    expect(JSON.parse(out('claude', now)!)).toEqual({ since: 1 });
    expect(out('claude', '{"mcpServers":{}}', before)).toBeUndefined();
    expect(out('claude', '{}', before)).toBeUndefined();
  });
});

it('a tool without MCP, or an unknown home, is refused', () => {
  expect(() => install('pi')).toThrow(/pi is not known to take MCP servers/);
  expect(() => installMcp({ tool: 'codex', env: {}, entry })).toThrow(/HOME is not set/);
});
