import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine } from '../../base/index.ts';

const MANIFEST = 'manifest.json';

/** The manifest in the root of a session, and the lock that every writer takes. */
export function manifestFiles(sessionRoot: string) {
  return {
    manifest: path.join(sessionRoot, MANIFEST),
    manifestLock: path.join(sessionRoot, 'manifest.lock'),
  };
}

/** The session root of a manifest: its directory. Undefined unless the file is called manifest.json. */
export function rootOfManifest(manifestPath: string): string | undefined {
  return path.basename(manifestPath) === MANIFEST ? path.dirname(manifestPath) : undefined;
}

/** The result of a start in run/attempt.json, beside the id of the attempt. */
export type AttemptResult =
  | { status: 'ready'; instance_id: string; port: number; pid: number }
  | { status: 'failed'; code: string; message: string };

export type GatewayFiles = ReturnType<typeof gatewayFiles>;

/** Every file of a session's gateway, from its directory. */
export function gatewayFiles(gatewayRoot: string) {
  // Lists call this for every agent, and path.join would take longer than reading the files.
  const root = path.normalize(gatewayRoot);
  const at = (...parts: string[]): string => `${root}/${parts.join('/')}`;
  return {
    gateway: gatewayRoot,
    gatewayManifest: at('gateway_manifest.json'),
    attach: at('attach.json'),
    desiredConfig: at('desired-config.json'),
    state: at('state.json'),
    glance: at('glance.json'),
    protocolVersion: at('protocol-version.txt'),
    events: at('events.jsonl'),
    queue: at('queue.sqlite'),
    /** A copy of the wake settings in the queue, to restore them if the queue file is lost. */
    kept: at('kept.json'),
    /** A person's pause of the agent; missing without one. */
    pause: at('pause.json'),
    run: at('run'),
    currentInstance: at('run', 'current-instance.json'),
    attempt: at('run', 'attempt.json'),
    /** Its keeper, or the host that runs it. */
    keeper: at('run', 'keeper.json'),
    /** Made to end a gateway whose host does not respond: the next host does not start it. */
    letGo: at('run', 'let-go'),
    pidFile: at('run', 'gateway.pid'),
    gatewayLock: at('run', 'gateway.lock'),
    /** Held while typing. */
    laneLock: at('run', 'lane.lock'),
    logs: at('logs'),
    log: at('logs', 'gateway.log'),
    /** Errors of a gateway that could not write its log. */
    errors: at('logs', 'gateway.err'),
  };
}

/**
 * Reports in one sentence that a queue file is missing or empty although a gateway has used it. It is not silently replaced
 * by a new one, because accepted work and wakes would be lost unnoticed. Undefined when nothing is wrong.
 */
export function lostQueue({
  queue,
  kept,
  log,
}: Pick<GatewayFiles, 'queue' | 'kept' | 'log'>): string | undefined {
  const size = fs.statSync(queue, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return undefined;
  const used = fs.existsSync(kept) || (fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return used ? `${queue} is ${size === 0 ? 'empty' : 'missing'}, and a gateway has used it` : undefined;
}

/** The command that fixes that. */
export const freshQueueCommand = (agent: string | undefined): string =>
  agent
    ? commandLine`rouse agents gateway attach ${agent} --fresh-queue`
    : 'rouse agents gateway attach --fresh-queue';

export const freshQueueWords = (agent: string | undefined): string =>
  `"${freshQueueCommand(agent)}" starts a new one with the same settings`;
