import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isRouseError, newUuid, type RouseError, stableJson } from '../base/index.ts';
import type { BackendKind } from '../domain/index.ts';
import { type RegistryRecord, type SessionManifestInput, sessionManifest } from '../wire/index.ts';
import { newManifest } from './life/new-manifest.ts';
import { newSessionRoot } from './records/session-paths.ts';

/** Test data of this room: directories, manifests, records. */
export function temporaryDirectory(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-session-'));
}

export interface SampleSession {
  backend?: BackendKind;
  agentName?: string;
  agentId?: string;
  tmuxSessionName?: string;
  generationId?: string;
  /** Default: the shared server. */
  tmuxSocket?: string;
}

export function sampleManifest(sample: SampleSession = {}): SessionManifestInput {
  const { backend = 'local_interactive', agentName = 'gpu', tmuxSessionName = 'S-gpu' } = sample;
  return newManifest({
    backend: backend === 'houmao_server_rest' || backend === 'cao_rest' ? 'local_interactive' : backend,
    tool: 'scripted',
    agentName,
    agentId: sample.agentId ?? `id-${agentName}`,
    shortName: agentName,
    project: { name: 'tmp', directory: '/tmp' },
    sessionId: 'local_interactive-20260102-030405Z-0a0b0c0d',
    generationId: sample.generationId ?? newUuid(),
    tmuxSessionName,
    tmuxSocket: sample.tmuxSocket ?? null,
    workdir: '/tmp',
    createdAt: new Date('2026-01-02T03:04:05Z'),
    joined: false,
    mailbox: null,
    plan: {
      executable: '/usr/bin/true',
      args: [],
      home: null,
      envVarNames: [],
      role: { method: 'none', applied: false },
      roleName: null,
      metadata: {},
      posture: 'runtime_launch_plan',
      launchEnv: [],
    },
  });
}

/** A manifest whose terminal belongs to a server. */
export function servedManifest(
  backend: 'houmao_server_rest' | 'cao_rest',
  sample: SampleSession,
  attach: { api_base_url?: string | null; managed_agent_ref?: string | null },
): Record<string, unknown> {
  const { local_interactive: _, ...own } = sampleManifest(sample) as Record<string, unknown>;
  const terminal = {
    api_base_url: attach.api_base_url ?? 'http://127.0.0.1:9889',
    session_name: sample.tmuxSessionName ?? 'S-gpu',
    terminal_id: '0a1b2c3d',
    parsing_mode: 'shadow_only',
    turn_index: 0,
  };
  return {
    ...own,
    backend,
    launch_plan: { ...(own['launch_plan'] as object), backend },
    agent_launch_authority: { ...(own['agent_launch_authority'] as object), backend },
    gateway_authority: { attach, control: attach },
    [backend === 'cao_rest' ? 'cao' : 'houmao_server']: terminal,
  };
}

/** Writes a session root with only this manifest. Returns the manifest's path. */
export function writeSession(
  runtimeDir: string,
  manifest: Record<string, unknown>,
  name = newUuid(),
): string {
  sessionManifest.parse(manifest);
  const root = newSessionRoot(runtimeDir, manifest['backend'] as BackendKind, name);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  const file = path.join(root, 'manifest.json');
  fs.writeFileSync(file, stableJson(manifest), { mode: 0o600 });
  return file;
}

export function sampleRecord(sample: SampleSession & { manifestPath?: string }, at: Date): RegistryRecord {
  const { agentName = 'gpu', tmuxSessionName = 'S-gpu' } = sample;
  return {
    schema_version: 2,
    agent_name: agentName,
    agent_id: sample.agentId ?? `id-${agentName}`,
    generation_id: sample.generationId ?? newUuid(),
    published_at: at.toISOString(),
    lease_expires_at: new Date(at.getTime() + 24 * 3600 * 1000).toISOString(),
    identity: { backend: sample.backend ?? 'local_interactive', tool: 'scripted' },
    runtime: {
      manifest_path: sample.manifestPath ?? '/nowhere/manifest.json',
      session_root: null,
      agent_def_dir: null,
    },
    terminal: {
      kind: 'tmux',
      session_name: tmuxSessionName,
      ...(sample.tmuxSocket && { socket: sample.tmuxSocket }),
    },
    gateway: null,
    mailbox: null,
  };
}

/** The RouseError that was thrown. */
export async function refusalOf(work: () => unknown): Promise<RouseError> {
  try {
    await work();
  } catch (error) {
    if (isRouseError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
