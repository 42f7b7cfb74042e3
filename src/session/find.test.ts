import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRouseError } from '../base/index.ts';
import { SHARED_SOCKET } from '../tmux/index.ts';
import type { RegistryRecord } from '../wire/index.ts';
import {
  chooseSelector,
  resolveTarget,
  type Selector,
  type SelectorFlags,
  type TargetWorld,
} from './find.ts';
import type { SessionPointers } from './records/manifest-facts.ts';
import {
  refusalOf,
  type SampleSession,
  sampleManifest,
  sampleRecord,
  servedManifest,
  temporaryDirectory,
  writeSession,
} from './testing.ts';

const now = new Date('2026-05-01T12:00:00Z');
let runtime: string;

beforeEach(() => {
  runtime = temporaryDirectory();
});
afterEach(() => {
  fs.rmSync(runtime, { recursive: true, force: true });
});

interface WorldParts {
  records?: RegistryRecord[];
  expired?: RegistryRecord[];
  sessions?: Record<string, Partial<SessionPointers>>;
  current?: string;
  served?: string[];
}

function world({ records = [], expired = [], sessions = {}, current, served = [] }: WorldParts): TargetWorld {
  const pointers = async (session: string): Promise<SessionPointers | undefined> =>
    session in sessions
      ? { session, server: SHARED_SOCKET, manifestPath: undefined, agentId: undefined, ...sessions[session] }
      : undefined;
  return {
    env: {},
    nameOf: async () => undefined,
    registry: () => ({ fresh: records, expired, malformed: [] }),
    pointersOf: pointers,
    currentPointers: async () => (current === undefined ? undefined : pointers(current)),
    fleetKnows: async (baseUrl, ref) => served.includes(`${baseUrl} ${ref}`),
    defaultFleetPort: 9889,
  };
}

const session = (sample: SampleSession = {}): string => writeSession(runtime, sampleManifest(sample));
const byName = { by: 'agent_name', name: 'gpu' } as const;

describe('an agent that is named', () => {
  it('a named agent is found by its one fresh record, and its manifest is the authority', async () => {
    const manifestPath = session();
    const target = await resolveTarget(byName, world({ records: [sampleRecord({ manifestPath }, now)] }));
    expect(target).toMatchObject({ kind: 'local', facts: { path: manifestPath, agentName: 'gpu' } });
  });

  it('a named agent is found by its id also when the name is shared', async () => {
    const manifestPath = session({ agentId: 'b' });
    const records = [sampleRecord({ agentId: 'a' }, now), sampleRecord({ agentId: 'b', manifestPath }, now)];
    const target = await resolveTarget({ by: 'agent_id', id: 'b' }, world({ records }));
    expect(target).toMatchObject({ kind: 'local', facts: { agentId: 'b' } });
  });

  it('a named agent is refused if several fresh records have the name', async () => {
    const records = [sampleRecord({ agentId: 'a' }, now), sampleRecord({ agentId: 'b' }, now)];
    const refusal = await refusalOf(() => resolveTarget(byName, world({ records })));
    expect(refusal).toMatchObject({ code: 'conflict', facts: { cause: 'ambiguous', agent_ids: ['a', 'b'] } });
  });

  it('a named agent is not found by an expired record', async () => {
    const expired = [sampleRecord({ manifestPath: session() }, now)];
    const refusal = await refusalOf(() => resolveTarget(byName, world({ expired })));
    expect(refusal).toMatchObject({ code: 'not_found', facts: { cause: 'lease_expired' } });
  });

  it('an unknown agent name is not found, and the nearest name is suggested', async () => {
    const records = [sampleRecord({ agentName: 'gpu2' }, now)];
    const refusal = await refusalOf(() => resolveTarget(byName, world({ records })));
    expect(refusal.code).toBe('not_found');
    expect(refusal.hint).toMatch(/gpu2/);
  });

  it('a named agent without a record is looked up at the default pair port only', async () => {
    const target = await resolveTarget(byName, world({ served: ['http://127.0.0.1:9889 gpu'] }));
    expect(target).toMatchObject({ kind: 'fleet', baseUrl: 'http://127.0.0.1:9889', agentRef: 'gpu' });
  });

  it('with --pair-port that server is asked for the agent, whatever the registry has', async () => {
    const records = [sampleRecord({ manifestPath: session() }, now)];
    const target = await resolveTarget({ ...byName, pairPort: 7000 }, world({ records }));
    expect(target).toEqual({
      kind: 'fleet',
      baseUrl: 'http://127.0.0.1:7000',
      agentRef: 'gpu',
      facts: undefined,
    });
  });
});

describe('a record that leads elsewhere fails closed', () => {
  const stale: [string, () => RegistryRecord, string][] = [
    [
      'its manifest is gone',
      () => sampleRecord({ manifestPath: '/nowhere/manifest.json' }, now),
      'unavailable',
    ],
    [
      'its manifest belongs to another tmux session',
      () => sampleRecord({ manifestPath: session({ tmuxSessionName: 'other' }) }, now),
      'conflict',
    ],
    [
      'its manifest belongs to another agent',
      () => sampleRecord({ manifestPath: session({ agentId: 'another' }) }, now),
      'conflict',
    ],
  ];
  it.each(stale)('%s', async (_, record, code) => {
    const refusal = await refusalOf(() => resolveTarget(byName, world({ records: [record()] })));
    expect(refusal).toMatchObject({ code, facts: { cause: 'stale_pointer' } });
  });

  it('a record fails closed if its manifest is damaged', async () => {
    const manifestPath = session();
    fs.writeFileSync(manifestPath, '{');
    const records = [sampleRecord({ manifestPath }, now)];
    expect((await refusalOf(() => resolveTarget(byName, world({ records })))).code).toBe('unavailable');
  });
});

describe('the current session', () => {
  const here = { by: 'current_session', implied: true } as const;

  it('the current session is found by its own manifest pointer', async () => {
    const manifestPath = session();
    const target = await resolveTarget(
      here,
      world({ current: 'S-gpu', sessions: { 'S-gpu': { manifestPath } } }),
    );
    expect(target).toMatchObject({ kind: 'local', facts: { path: manifestPath } });
  });

  it('the current session falls back to its agent id and a fresh record when the pointer is stale', async () => {
    const manifestPath = session();
    const target = await resolveTarget(
      here,
      world({
        current: 'S-gpu',
        sessions: { 'S-gpu': { manifestPath: '/gone/manifest.json', agentId: 'id-gpu' } },
        records: [sampleRecord({ manifestPath }, now)],
      }),
    );
    expect(target).toMatchObject({ facts: { path: manifestPath } });
  });

  it('the current session does not fall back to another name of the terminal', async () => {
    const records = [sampleRecord({ manifestPath: session() }, now)];
    const sessions = { 'S-gpu': { manifestPath: '/gone/manifest.json' } };
    const refusal = await refusalOf(() =>
      resolveTarget(here, world({ current: 'S-gpu', sessions, records })),
    );
    expect(refusal).toMatchObject({ code: 'not_found', facts: { cause: 'stale_pointer' } });
    expect(refusal.message).toMatch(/fallback unavailable/);
  });

  it('the current session refuses a pointer to the manifest of another session, also through the registry', async () => {
    const manifestPath = session({ tmuxSessionName: 'other' });
    const sessions = { 'S-gpu': { manifestPath, agentId: 'id-gpu' } };
    const records = [sampleRecord({ manifestPath }, now)];
    const refusal = await refusalOf(() =>
      resolveTarget(here, world({ current: 'S-gpu', sessions, records })),
    );
    expect(refusal).toMatchObject({ code: 'conflict', facts: { cause: 'stale_pointer' } });
  });

  it('the current session refuses a relative pointer and a file that is not called manifest.json', async () => {
    const odd = path.join(runtime, 'other.json');
    fs.copyFileSync(session(), odd);
    for (const manifestPath of ['manifest.json', odd]) {
      const sessions = { 'S-gpu': { manifestPath } };
      const refusal = await refusalOf(() => resolveTarget(here, world({ current: 'S-gpu', sessions })));
      expect(refusal.code).toBe('not_found');
    }
  });
});

describe('--target-tmux-session', () => {
  const there = { by: 'tmux_session', name: 'S-gpu' } as const;

  it('--target-tmux-session first asks whether the session exists here', async () => {
    const records = [sampleRecord({ manifestPath: session() }, now)];
    expect((await refusalOf(() => resolveTarget(there, world({ records })))).code).toBe('not_found');
  });

  it('--target-tmux-session falls back to the one fresh record with exactly that terminal name', async () => {
    const manifestPath = session();
    const records = [
      sampleRecord({ agentName: 'x', agentId: 'x', tmuxSessionName: 'S-gpu-2' }, now),
      sampleRecord({ manifestPath }, now),
    ];
    const target = await resolveTarget(there, world({ sessions: { 'S-gpu': {} }, records }));
    expect(target).toMatchObject({ facts: { path: manifestPath } });
  });

  it('--target-tmux-session does not use the agent id of the session', async () => {
    const records = [sampleRecord({ manifestPath: session(), tmuxSessionName: 'elsewhere' }, now)];
    const sessions = { 'S-gpu': { agentId: 'id-gpu' } };
    expect((await refusalOf(() => resolveTarget(there, world({ sessions, records })))).code).toBe(
      'not_found',
    );
  });

  it('--target-tmux-session refuses two records of one terminal name', async () => {
    const records = [sampleRecord({ agentId: 'a' }, now), sampleRecord({ agentId: 'b' }, now)];
    const refusal = await refusalOf(() =>
      resolveTarget(there, world({ sessions: { 'S-gpu': {} }, records })),
    );
    expect(refusal).toMatchObject({ code: 'conflict', facts: { cause: 'ambiguous' } });
  });
});

describe('sessions that servers own', () => {
  const here = { by: 'current_session', implied: false } as const;
  const at = (manifest: Record<string, unknown>) =>
    resolveTarget(
      here,
      world({ current: 'S-gpu', sessions: { 'S-gpu': { manifestPath: writeSession(runtime, manifest) } } }),
    );

  it('a session of backend houmao_server_rest goes to the server its manifest declares', async () => {
    const attach = { api_base_url: 'http://127.0.0.1:9999', managed_agent_ref: 'cao-gpu' };
    const target = await at(servedManifest('houmao_server_rest', {}, attach));
    expect(target).toMatchObject({ kind: 'fleet', baseUrl: 'http://127.0.0.1:9999', agentRef: 'cao-gpu' });
  });

  it.each([
    ['no server', { api_base_url: null, managed_agent_ref: 'x' }],
    ['no reference', { api_base_url: 'http://127.0.0.1:9999', managed_agent_ref: null }],
    ['something that is no address', { api_base_url: 'gopher://x', managed_agent_ref: 'x' }],
    ['an address with a path', { api_base_url: 'http://127.0.0.1:1/x', managed_agent_ref: 'x' }],
  ])('a session of backend houmao_server_rest with %s is refused, and none is guessed', async (_, attach) => {
    const refusal = await refusalOf(() => at(servedManifest('houmao_server_rest', {}, attach)));
    expect(refusal.code).toBe('invalid');
  });

  it('a CAO server owns the terminal only: the agent is of this host', async () => {
    const target = await at(servedManifest('cao_rest', {}, { api_base_url: 'http://127.0.0.1:1' }));
    expect(target).toMatchObject({ kind: 'local', facts: { backend: 'cao_rest' } });
  });
});

describe('tmux servers', () => {
  const there = { by: 'tmux_session', name: 'S-gpu' } as const;
  const server = '/private/other.sock';

  it.each([
    ['pointer', true],
    ['record', false],
  ])('the %s of a session of that name on another server is refused, naming both', async (_, pointer) => {
    const manifestPath = session();
    const sessions = { 'S-gpu': { server, ...(pointer && { manifestPath }) } };
    const records = [sampleRecord({ manifestPath }, now)];
    const refusal = await refusalOf(() => resolveTarget(there, world({ sessions, records })));
    expect(refusal).toMatchObject({
      code: 'conflict',
      facts: { cause: 'other_tmux_server', tmux_server: server, agent_tmux_server: SHARED_SOCKET },
    });
    expect(refusal.message).toContain(server);
    expect(refusal.message).toContain(SHARED_SOCKET);
  });

  it('a renamed session is recognised by its pointer', async () => {
    const manifestPath = session();
    const renamed = { ...world({ sessions: { new: { manifestPath } } }), nameOf: async () => 'new' };
    expect(await resolveTarget({ by: 'tmux_session', name: 'new' }, renamed)).toMatchObject({
      facts: { path: manifestPath },
    });
  });
});

const inside = true;
const outside = false;

const allowed: [string, SelectorFlags, boolean, Selector][] = [
  ['--agent-name', { agentName: 'gpu' }, outside, { by: 'agent_name', name: 'gpu' }],
  ['the canonical name', { agentName: 'HOUMAO-gpu' }, outside, { by: 'agent_name', name: 'gpu' }],
  ['--agent-id', { agentId: 'a1b2' }, outside, { by: 'agent_id', id: 'a1b2' }],
  [
    '--pair-port with a name',
    { agentName: 'gpu', pairPort: 9889 },
    outside,
    { by: 'agent_name', name: 'gpu', pairPort: 9889 },
  ],
  [
    '--pair-port with an id',
    { agentId: 'a1', pairPort: 9889 },
    inside,
    { by: 'agent_id', id: 'a1', pairPort: 9889 },
  ],
  ['a tmux session outside tmux', { targetTmuxSession: 'S-1' }, outside, { by: 'tmux_session', name: 'S-1' }],
  ['a tmux session inside tmux', { targetTmuxSession: 'S-1' }, inside, { by: 'tmux_session', name: 'S-1' }],
  ['the current session, said', { currentSession: true }, inside, { by: 'current_session', implied: false }],
  ['the current session, implied', {}, inside, { by: 'current_session', implied: true }],
];

const refused: [string, SelectorFlags, boolean, RegExp][] = [
  ['nothing outside tmux', {}, outside, /no agent was named/],
  ['--current-session outside tmux', { currentSession: true }, outside, /only inside a tmux session/],
  ['name and id', { agentName: 'a', agentId: 'b' }, outside, /not both/],
  ['name and tmux session', { agentName: 'a', targetTmuxSession: 's' }, outside, /only one of/],
  ['id and current session', { agentId: 'a', currentSession: true }, inside, /only one of/],
  [
    'tmux session and current session',
    { targetTmuxSession: 's', currentSession: true },
    inside,
    /only one of/,
  ],
  ['--pair-port alone, outside', { pairPort: 9889 }, outside, /needs --agent-name or --agent-id/],
  ['--pair-port alone, inside', { pairPort: 9889 }, inside, /needs --agent-name or --agent-id/],
  [
    '--pair-port with a tmux session',
    { targetTmuxSession: 's', pairPort: 1 },
    outside,
    /cannot be used with --target/,
  ],
  [
    '--pair-port with the current session',
    { currentSession: true, pairPort: 1 },
    inside,
    /with --current-session/,
  ],
  ['an empty name', { agentName: ' ' }, outside, /must not be empty/],
  ['a name that is a path', { agentName: '../x' }, outside, /not valid/],
  ['an id that is a path', { agentId: 'a/b' }, outside, /not valid/],
  ['a blank tmux session', { targetTmuxSession: ' ' }, outside, /must not be blank/],
  ['a tmux window', { targetTmuxSession: 's:0' }, outside, /not a session name/],
  ['a tmux pane', { targetTmuxSession: 's.1' }, outside, /not a session name/],
  ['a tmux id', { targetTmuxSession: '$3' }, outside, /not a session name/],
  ['a tmux match', { targetTmuxSession: '=s' }, outside, /not a session name/],
];

describe('which agent is meant', () => {
  it.each(allowed)('%s names an agent', (_, flags, insideTmux, selector) => {
    expect(chooseSelector(flags, insideTmux)).toEqual(selector);
  });

  it.each(refused)('%s is refused', (_, flags, insideTmux, words) => {
    expect(() => chooseSelector(flags, insideTmux)).toThrow(words);
  });

  it('--pair-port is explained as not the port of a gateway', () => {
    let hint: string | undefined;
    try {
      chooseSelector({ pairPort: 4711 }, inside);
    } catch (error) {
      if (isRouseError(error)) hint = error.hint;
    }
    expect(hint).toMatch(/--gateway-port/);
  });

  it('the target flags never accept two ways at once, and --pair-port only with an agent', () => {
    const flags = fc.record(
      {
        agentName: fc.constantFrom('gpu', 'cpu'),
        agentId: fc.constantFrom('a1', 'b2'),
        currentSession: fc.constant(true),
        targetTmuxSession: fc.constantFrom('S-1', 'S-2'),
        pairPort: fc.integer({ min: 1, max: 65_535 }),
      },
      { requiredKeys: [] },
    );
    void fc.assert(
      fc.property(flags, fc.boolean(), (given, insideTmux) => {
        const { pairPort, ...ways } = given;
        let selector: Selector;
        try {
          selector = chooseSelector(given, insideTmux);
        } catch (error) {
          expect(isRouseError(error) && error.code).toBe('invalid');
          return;
        }
        expect(Object.keys(ways).length).toBeLessThanOrEqual(1);
        const byAgent = selector.by === 'agent_id' || selector.by === 'agent_name';
        expect(pairPort === undefined || byAgent).toBe(true);
        if (selector.by === 'current_session') expect(insideTmux).toBe(true);
      }),
    );
  });
});
