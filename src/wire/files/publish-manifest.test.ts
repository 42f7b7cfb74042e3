import { describe, expect, it } from 'vitest';
import { joinedManifest } from './beside.ts';
import { type SessionManifest, type SessionManifestInput, sessionManifest } from './manifest.ts';
import { publishManifest } from './publish-manifest.ts';

const endpoint = {};
const WORKDIR = '/work';
const turns = { turn_index: 0, role_bootstrap_applied: false, working_directory: WORKDIR };
const BEFORE_JOIN = {
  window_id: '@1',
  window_name: 'mine',
  automatic_rename: null,
  renamed: false,
  variables: [],
};

/** As 0.1.0 wrote one: with what is ours in it. */
const manifest = (more: Partial<SessionManifestInput> = {}): SessionManifest =>
  sessionManifest.parse({
    schema_version: 4,
    backend: 'local_interactive',
    tool: 'codex',
    created_at_utc: '2026-01-01T00:00:00Z',
    working_directory: WORKDIR,
    agent_name: 'ana',
    agent_id: 'a1',
    tmux_session_name: 'S',
    tmux: {
      session_name: 'S',
      primary_window_index: '0',
      primary_window_role: 'managed_agent_surface',
      socket: '/run/tmux',
    },
    interactive: turns,
    agent_launch_authority: {
      backend: 'local_interactive',
      tool: 'codex',
      posture_kind: 'runtime_launch_plan',
      launch_args: ['--x'],
      launch_env: [{ mode: 'literal', name: 'A', value: 'v' }],
    },
    gateway_authority: { attach: endpoint, control: endpoint },
    launch_plan: {
      backend: 'local_interactive',
      tool: 'codex',
      args: ['--x'],
      home_selector: null,
      role_injection: { method: 'cli_flag', role_name: null },
      metadata: { rouse: { noted: 1 } },
    },
    launch_policy_provenance: { detected_tool_version: '1.2.3' },
    local_interactive: turns,
    ...more,
  });

const joinedSession = (): SessionManifest => {
  const own = manifest();
  return {
    ...own,
    tmux: { ...own.tmux!, agent_pane: '%7', before_join: BEFORE_JOIN },
    agent_launch_authority: {
      ...own.agent_launch_authority!,
      session_origin: 'joined_tmux',
      posture_kind: 'tui_launch_options',
    },
  };
};

const readBack = ({ published, beside }: ReturnType<typeof publishManifest>): SessionManifest =>
  sessionManifest.parse(joinedManifest(published, beside));

describe('a manifest', () => {
  it('a manifest is published with a value in every field that the source requires, and without our own fields', () => {
    const { published } = publishManifest(manifest(), '/root');
    expect(published).toMatchObject({
      role_name: 'none',
      brain_manifest_path: '/root/brain-manifest.yaml',
      backend_state: {},
      headless: null,
      launch_policy_provenance: { detected_tool_version: '1.2.3', requested_operator_prompt_mode: 'as_is' },
      agent_launch_authority: { launch_args: null, launch_env: null },
      launch_plan: {
        executable: 'codex',
        working_directory: WORKDIR,
        home_selector: { env_var: 'HOME' },
        role_injection: { method: 'native_developer_instructions', role_name: 'none' },
        mailbox: null,
      },
    });
    expect(Object.keys(published['tmux'] as object).sort()).toEqual([
      'primary_window_index',
      'primary_window_name',
      'primary_window_role',
      'session_name',
    ]);
  });

  it.each([
    ['launched', manifest()],
    ['joined', joinedSession()],
  ])('that is %s is the same after it is published and read again', (_, own) => {
    const split = publishManifest(own, '/root');
    const back = readBack(split);
    expect(back.tmux).toMatchObject({ ...own.tmux });
    expect(back.launch_plan.home_selector).toBeNull();
    expect(back.agent_launch_authority).toMatchObject({ ...own.agent_launch_authority });
    expect(back.launch_plan.metadata?.['rouse']).toMatchObject({ noted: 1 });
    expect(publishManifest(back, '/root')).toEqual(split);
  });

  it('loses the notes of a join when the manifest alone says that the session is no longer joined', () => {
    const { published, beside } = publishManifest(joinedSession(), '/root');
    const authority = { ...(published['agent_launch_authority'] as object), session_origin: null };
    const back = readBack({ published: { ...published, agent_launch_authority: authority }, beside });
    expect(back.tmux).toMatchObject({ socket: '/run/tmux' });
    expect([back.tmux?.agent_pane, back.tmux?.before_join]).toEqual([undefined, undefined]);
  });

  it('ignores a file beside it that belongs to another agent', () => {
    const { published, beside } = publishManifest(manifest(), '/root');
    const back = readBack({ published, beside: { ...beside, agent_id: 'other' } });
    expect(back.tmux?.socket).toBeUndefined();
  });

  it('a manifest of version 0.1.0 is read as it is, and is the same when it is written again', () => {
    const own = joinedSession();
    const old = JSON.parse(JSON.stringify(own)) as Record<string, unknown>;
    const back = sessionManifest.parse(joinedManifest(old, undefined));
    expect(back).toEqual(own);
    expect(readBack(publishManifest(back, '/root')).tmux).toMatchObject({ ...own.tmux });
  });
});
