import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { BACKEND_KINDS } from '../../domain/index.ts';
import { parseFile } from '../parse-body.ts';
import { attachFile, attachIdentity, gatewayManifestFile } from './attach.ts';
import { currentInstanceFile } from './current-instance.ts';
import { desiredConfigFile } from './desired-config.ts';
import { gatewayEvent } from './gateway-event.ts';
import { sessionManifest } from './manifest.ts';
import { backendSection } from './manifest-rules.ts';
import { isFresh, registryRecord } from './registry-record.ts';

type Row = [change: object, message: string];

function table(name: string, schema: z.ZodType, good: object, bad: Row[]): void {
  describe(name, () => {
    it('a file of a session parses what was written', () => {
      expect(parseFile(schema, good, name)).toMatchObject(good);
    });
    it('a file of a session refuses an unknown key and names the file', () => {
      expect(() => parseFile(schema, { ...good, surprise: 1 }, name)).toThrow(
        `${name} is not valid: surprise is not a known field`,
      );
    });
    it.each(bad)('a file of a session refuses %j', (change, message) => {
      expect(() => parseFile(schema, { ...good, ...change }, name)).toThrow(message);
    });
  });
}

const turns = { turn_index: 0, role_bootstrap_applied: false, working_directory: '/w' };
const authority = { attach: {}, control: {} };
const mailbox = {
  transport: 'filesystem',
  principal_id: 'HOUMAO-gpu',
  address: 'gpu@houmao.localhost',
  filesystem_root: '/m',
  bindings_version: '1',
  mailbox_kind: 'in_root',
  mailbox_path: '/m/mailboxes/gpu@houmao.localhost',
};
const manifest = {
  schema_version: 4,
  backend: 'local_interactive',
  tool: 'claude',
  created_at_utc: '2026-04-16T12:00:00Z',
  working_directory: '/w',
  agent_name: 'gpu',
  agent_id: 'id',
  tmux_session_name: 'HOUMAO-gpu-1',
  registry_launch_authority: 'runtime',
  runtime: { session_id: 'local_interactive-1', registry_launch_authority: 'runtime' },
  tmux: {
    session_name: 'HOUMAO-gpu-1',
    primary_window_index: '0',
    primary_window_role: 'managed_agent_surface',
    socket: 'rouse',
  },
  interactive: {},
  agent_launch_authority: {
    backend: 'local_interactive',
    tool: 'claude',
    posture_kind: 'tui_launch_options',
    launch_env: [
      { mode: 'literal', name: 'A', value: 'b' },
      { mode: 'inherit', name: 'C' },
    ],
  },
  gateway_authority: authority,
  launch_plan: { backend: 'local_interactive', tool: 'claude', executable: 'claude', args: ['-x'], mailbox },
  local_interactive: turns,
};

table('manifest.json', sessionManifest, manifest, [
  [{ schema_version: 3 }, 'schema_version must be 4'],
  [{ backend: 'shell' }, `backend must be one of ${BACKEND_KINDS.map((kind) => `"${kind}"`).join(', ')}`],
  [{ agent_name: null }, 'agent_name is required for backend local_interactive'],
  [{ tmux: undefined }, 'tmux is required for backend local_interactive'],
  [{ gateway_authority: undefined }, 'gateway_authority is required'],
  [{ tmux_session_name: 'other' }, 'tmux.session_name must equal tmux_session_name'],
  [{ tmux: { ...manifest.tmux, primary_window_index: '1' } }, 'tmux.primary_window_index must be "0"'],
  [{ local_interactive: undefined }, 'local_interactive is required for backend local_interactive'],
  [{ headless: turns }, 'headless must be absent for backend local_interactive'],
  [{ runtime: { registry_launch_authority: 'external' } }, 'runtime.registry_launch_authority must equal'],
  [{ runtime: { memory_root: '/x' } }, 'runtime: set all or none of memory_root, memo_file, pages_dir'],
  [{ launch_plan: { backend: 'codex_headless', tool: 'x' } }, 'launch_plan.backend must equal backend'],
  [
    { launch_plan: { ...manifest.launch_plan, mailbox: { ...mailbox, transport: 'pigeon' } } },
    'launch_plan.mailbox.transport must be one of "filesystem", "stalwart", "flatfile"',
  ],
  [
    { launch_plan: { ...manifest.launch_plan, mailbox: { ...mailbox, filesystem_root: 'm' } } },
    'launch_plan.mailbox.filesystem_root must be an absolute path',
  ],
  [
    {
      agent_launch_authority: {
        ...manifest.agent_launch_authority,
        launch_env: [{ mode: 'inherit', name: 'C', value: 'd' }],
      },
    },
    'agent_launch_authority.launch_env[0].value is not a known field',
  ],
]);

describe('manifest.json of other backends', () => {
  const { local_interactive: _, ...rest } = manifest;
  const plan = (backend: string) => ({ ...rest, backend, launch_plan: { ...rest.launch_plan, backend } });

  it('manifest.json of another backend has the section of its backend and no other', () => {
    expect(BACKEND_KINDS.map(backendSection)).toEqual([
      'local_interactive',
      ...Array(5).fill('headless'),
      'codex',
      'cao',
      'houmao_server',
    ]);
  });

  it('requires a session id of a headless agent once a turn has run, and a value only for an exact resume', () => {
    const headless = (section: object) => ({ ...plan('codex_headless'), headless: { ...turns, ...section } });
    const parse = (section: object) => parseFile(sessionManifest, headless(section), 'm');
    expect(parse({}).headless?.resume_selection_kind).toBe('none');
    expect(() => parse({ turn_index: 1 })).toThrow('headless.session_id is required once a turn has run');
    expect(() => parse({ resume_selection_kind: 'exact' })).toThrow(
      'headless.resume_selection_value must be set exactly',
    );
    expect(() => parse({ resume_selection_kind: 'last', resume_selection_value: 'x' })).toThrow(
      'must be set exactly',
    );
  });

  it('manifest.json of another backend has no tmux identity for an app server', () => {
    const server = { ...plan('codex_app_server'), codex: { turn_index: 0 } };
    expect(() => parseFile(sessionManifest, server, 'm')).toThrow(
      'agent_name must be absent for backend codex_app_server',
    );
  });
});

const attach = {
  schema_version: 1,
  attach_identity: 'id',
  backend: 'local_interactive',
  tmux_session_name: 's',
  working_directory: '/w',
  backend_metadata: { tool: 'claude', session_id: null },
  manifest_path: '/s/manifest.json',
  desired_host: null,
  desired_port: null,
};

const attachRows: Row[] = [
  [{ schema_version: 2 }, 'schema_version must be 1'],
  [{ backend_metadata: {} }, 'backend_metadata.tool is required'],
  [{ backend_metadata: { tool: 'x', y: 1 } }, 'backend_metadata.y is not a known field'],
  [
    { backend_metadata: { tool: 'x', managed_agent_ref: 'r' } },
    'backend_metadata.managed_agent_ref: set both or neither',
  ],
  [{ backend: 'houmao_server_rest' }, 'backend_metadata.api_base_url is required'],
  [
    {
      backend: 'cao_rest',
      backend_metadata: {
        api_base_url: 'u',
        terminal_id: 't',
        profile_name: 'n',
        profile_path: 'p',
        parsing_mode: 'x',
      },
    },
    'backend_metadata.parsing_mode must be one of "cao_only", "shadow_only"',
  ],
  [{ backend: 'codex_app_server' }, 'backend must be a backend that a gateway can serve'],
  [{ desired_port: 0 }, 'desired_port must be >= 1'],
  [{ desired_host: 'localhost' }, 'desired_host must be one of "127.0.0.1", "0.0.0.0"'],
];

table('attach.json', attachFile, attach, attachRows);

const live = {
  gateway_pid: 7,
  gateway_host: '127.0.0.1',
  gateway_port: 4711,
  gateway_protocol_version: 'v1',
  gateway_execution_mode: 'detached_process',
};
const window = { gateway_tmux_window_id: '@1', gateway_tmux_window_index: '1', gateway_tmux_pane_id: '%1' };

table('gateway_manifest.json (offline)', gatewayManifestFile, attach, attachRows);
table('gateway_manifest.json (live)', gatewayManifestFile, { ...attach, ...live }, [
  [{ gateway_pid: null }, 'set all or none of gateway_pid, gateway_host, gateway_port'],
  [window, 'gateway_tmux_window_id must be null when the execution mode is detached_process'],
  [{ gateway_execution_mode: 'tmux_auxiliary_window' }, 'gateway_tmux_window_id is required'],
  [
    { gateway_execution_mode: 'tmux_auxiliary_window', ...window, gateway_tmux_window_index: '0' },
    'gateway_tmux_window_index must not be "0"',
  ],
]);

const timings = {
  watch_poll_interval_seconds: 0.5,
  stability_threshold_seconds: 1,
  completion_stability_seconds: 1,
  unknown_to_stalled_timeout_seconds: 30,
  stale_active_recovery_seconds: 5,
  final_stable_active_recovery_seconds: 20,
};

table(
  'desired-config.json',
  desiredConfigFile,
  {
    schema_version: 1,
    desired_host: '127.0.0.1',
    desired_port: 4711,
    desired_port_origin: 'auto',
    desired_execution_mode: 'tmux_auxiliary_window',
    desired_tui_tracking_timings: timings,
    desired_diagnostic_logging: null,
  },
  [
    [{ desired_port_origin: 'guess' }, 'desired_port_origin must be one of "explicit", "auto"'],
    [{ desired_execution_mode: undefined }, 'desired_execution_mode is required'],
    [{ desired_port: '4711' }, 'desired_port must be an integer'],
    [
      { desired_tui_tracking_timings: { ...timings, stability_threshold_seconds: 0 } },
      'stability_threshold_seconds must be > 0',
    ],
    [
      { desired_tui_tracking_timings: { ...timings, stability_threshold_seconds: true } },
      'stability_threshold_seconds must be a number',
    ],
    [
      { desired_tui_tracking_timings: {} },
      'desired_tui_tracking_timings.watch_poll_interval_seconds is required',
    ],
    [
      { desired_diagnostic_logging: { backup_count: 101 } },
      'desired_diagnostic_logging.backup_count must be <= 100',
    ],
  ],
);

const instance = {
  schema_version: 1,
  protocol_version: 'v1',
  pid: 7,
  host: '127.0.0.1',
  port: 4711,
  execution_mode: 'tmux_auxiliary_window',
  tmux_window_id: '@1',
  tmux_window_index: '1',
  tmux_pane_id: '%1',
  managed_agent_instance_epoch: 1,
  managed_agent_instance_id: null,
  instance_id: 'i',
  pid_start_ticks: 123,
  boot_id: 'b',
};

table('run/current-instance.json', currentInstanceFile, instance, [
  [{ pid: 0 }, 'pid must be > 0'],
  [{ managed_agent_instance_epoch: 0 }, 'managed_agent_instance_epoch must be > 0'],
  [{ tmux_pane_id: null }, 'tmux_pane_id is required when the execution mode is tmux_auxiliary_window'],
  [{ tmux_window_index: '0' }, 'tmux_window_index must not be "0"'],
  [{ execution_mode: 'detached_process' }, 'tmux_window_id must be null'],
  [{ protocol_version: 'v2' }, 'protocol_version must be "v1"'],
  [{ host: '::1' }, 'host must be one of "127.0.0.1", "0.0.0.0"'],
]);

const record = {
  schema_version: 2,
  agent_name: 'gpu',
  agent_id: 'id',
  generation_id: '8f14e45f-ceea-467f-9b3c-0123456789ab',
  published_at: '2026-04-16T12:00:00Z',
  lease_expires_at: '2026-04-17T12:00:00+00:00',
  identity: { backend: 'local_interactive', tool: 'claude' },
  runtime: { manifest_path: '/s/manifest.json', session_root: null },
  terminal: { kind: 'tmux', session_name: 's', socket: 'rouse' },
  gateway: { host: '127.0.0.1', port: 4711, state_path: '/s/gateway/state.json', protocol_version: 'v1' },
  mailbox: {
    transport: 'filesystem',
    principal_id: 'p',
    address: 'a',
    filesystem_root: '/m',
    bindings_version: '1',
  },
};

table('record.json', registryRecord, record, [
  [{ schema_version: 3 }, 'schema_version must be 2'],
  [{ agent_id: '../x' }, 'agent_id must be ASCII letters'],
  [{ agent_name: '' }, 'agent_name must be ASCII letters'],
  [{ generation_id: '7' }, 'generation_id must be a UUID'],
  [{ published_at: '2026-04-16T12:00:00' }, 'published_at must be an ISO-8601 time with Z or an offset'],
  [{ lease_expires_at: record.published_at }, 'lease_expires_at must be later than published_at'],
  [{ runtime: { manifest_path: 'manifest.json' } }, 'runtime.manifest_path must be an absolute path'],
  [{ terminal: { kind: 'screen', session_name: 's' } }, 'terminal.kind must be "tmux"'],
  [{ gateway: { host: '127.0.0.1', port: 4711 } }, 'gateway.state_path is required'],
]);

it('a registry record is fresh until its lease ends', () => {
  const end = Date.parse(record.lease_expires_at);
  expect([end - 1, end, end + 1].map((now) => isFresh(record, now))).toEqual([true, true, false]);
});

it('the attach identity is the first of its candidates that is not blank', () => {
  const all = {
    runtimeSessionId: 'r',
    agentId: 'i',
    agentName: 'n',
    tmuxSessionName: 't',
    sessionRootName: 'root',
  };
  expect(attachIdentity(all)).toBe('r');
  expect(attachIdentity({ ...all, runtimeSessionId: ' ', agentId: null })).toBe('n');
  expect(attachIdentity({ sessionRootName: 'root' })).toBe('root');
});

describe('events.jsonl', () => {
  it('events.jsonl has every kind of event of the contract', () => {
    expect(gatewayEvent.options.map(({ shape }) => shape.kind.value)).toEqual([
      'accepted',
      'accepted_internal',
      'completed',
      'failed',
      'coalesced',
      'control_prompt_submitted',
      'control_prompt_completed',
      'control_prompt_failed',
      'control_prompt_refused',
      'call_from_afar',
      'control_input',
      'reminder_registered',
      'reminder_updated',
      'reminder_deleted',
      'reminder_deferred',
      'reminder_started',
      'reminder_completed',
      'reminder_failed',
      'reminder_missed',
      'reminder_lost_on_restart',
      'agent_paused',
      'agent_resumed',
      'left_attempt_settled',
    ]);
  });

  it('accepts more fields than the kind of an event requires, but not fewer', () => {
    const event = {
      kind: 'control_input',
      escape_special_keys: false,
      sequence_preview: 'x',
      submitted_at_utc: 's',
      extra: 1,
    };
    expect(parseFile(gatewayEvent, event, 'e')).toEqual(event);
    expect(() => parseFile(gatewayEvent, { kind: 'accepted', request_id: 'r' }, 'e')).toThrow(
      'request_kind is required',
    );
    expect(() => parseFile(gatewayEvent, { ...event, sequence_preview: 'x'.repeat(121) }, 'e')).toThrow(
      'at most 120',
    );
    expect(() => parseFile(gatewayEvent, { kind: 'exploded' }, 'e')).toThrow(
      'kind must be one of "accepted"',
    );
  });
});
