import { describe, expect, it } from 'vitest';
import {
  type HeadlessManifest,
  instanceOf,
  progressOf,
  startupDefault,
  turnEnvironment,
  turnTool,
} from './headless-manifest.ts';

const manifest = (change: Partial<HeadlessManifest> = {}, headless?: unknown): HeadlessManifest => ({
  tool: 'claude',
  backend: 'claude_headless',
  launch_plan: { executable: '/bin/claude', args: ['--own'], metadata: { rouse: { headless } } },
  ...change,
});
const words = (create: string[]) => ({
  prompt: 'argument',
  role: 'prefix',
  create,
  exact: create,
  last: create,
});

describe('the headless turns in a manifest', () => {
  it.each(['claude', 'mine'])('a headless turn of %s runs as the launch recorded it', (tool) => {
    const recorded = words(['{args}', '-p', '{prompt}']);
    expect(turnTool(manifest({ tool }, recorded)).shape).toEqual(recorded);
  });

  it('a known tool runs as described in its file if the manifest records no command line', () => {
    expect(turnTool(manifest()).shape).toMatchObject({ prompt: 'stdin', role: 'arguments' });
  });

  it.each([
    ['nothing', undefined],
    ['no object', 'x'],
    ['wrong types', { create: 'x', exact: [], last: [] }],
    ['only a part', { create: ['x'] }],
  ])('an unknown program gets its prompt on standard input if the manifest records %s', (_what, recorded) => {
    expect(turnTool(manifest({ tool: 'mine' }, recorded)).shape).toMatchObject({
      prompt: 'stdin',
      create: ['{args}', '{model}'],
    });
  });

  it('a turn has the recorded role, and no role if it is empty', () => {
    expect(turnTool(manifest({}, { role_prompt: 'Be Ada' })).role).toBe('Be Ada');
    expect(turnTool(manifest({}, { role_prompt: '' })).role).toBeNull();
    expect(turnTool(manifest({}, null)).role).toBeNull();
  });

  it.each([
    [undefined, { mode: 'new', id: null }],
    [{ kind: 'none' as const }, { mode: 'new', id: null }],
    [{ kind: 'last' as const }, { mode: 'tool_last_or_new', id: null }],
    [
      { kind: 'exact' as const, value: 'c1' },
      { mode: 'exact', id: 'c1' },
    ],
  ])('resume selection %o', (resume, expected) => {
    const headless = {
      turn_index: 0,
      role_bootstrap_applied: false,
      resume_selection_kind: resume?.kind,
      resume_selection_value: resume && 'value' in resume ? resume.value : null,
    };
    expect(startupDefault(manifest({ headless }))).toEqual(expected);
  });

  it('a headless instance is identified by session and launch, and continues the progress of the last gateway', () => {
    const runtime = { session_id: 's-1' };
    expect(instanceOf(manifest({ runtime, registry_generation_id: 'g' }), '/x/root')).toBe('s-1:g');
    expect(instanceOf(manifest(), '/x/root')).toBe('root');
    const headless = { session_id: 'c', turn_index: 4, role_bootstrap_applied: true };
    expect(progressOf(manifest({ headless }))).toEqual({
      sessionId: 'c',
      turnIndex: 4,
      roleBootstrapApplied: true,
    });
  });
});

describe('the environment of a turn', () => {
  const env = {
    PATH: '/bin',
    KEY: 'k',
    TMUX: 't',
    TERM: 'xterm',
    CLAUDECODE: '1',
    HOUMAO_GATEWAY_TMUX_PANE_ID: '%1',
  };

  it('the environment of a turn has no variables of terminals, gateways and other instances', () => {
    expect(turnEnvironment(manifest({ agent_id: 'a' }), '/root', env)).toEqual({
      PATH: '/bin',
      KEY: 'k',
      TERM: 'dumb',
      HOUMAO_MANIFEST_PATH: '/root/manifest.json',
      HOUMAO_AGENT_ID: 'a',
    });
  });

  it('the environment of a turn has the tool’s home, the literals of a join, and no proxy for this machine', () => {
    const joined = manifest({
      agent_launch_authority: {
        launch_env: [
          { mode: 'literal', name: 'LEVEL', value: '9' },
          { mode: 'inherit', name: 'KEY' },
        ],
      },
    });
    joined.launch_plan.home_selector = { env_var: 'CLAUDE_CONFIG_DIR', home_path: '/home/c' };
    expect(
      turnEnvironment(joined, '/root', { ...env, HTTPS_PROXY: 'http://p', NO_PROXY: 'corp' }),
    ).toMatchObject({
      LEVEL: '9',
      KEY: 'k',
      CLAUDE_CONFIG_DIR: '/home/c',
      NO_PROXY: 'corp,127.0.0.1,localhost,::1',
      no_proxy: 'corp,127.0.0.1,localhost,::1',
    });
  });
});
