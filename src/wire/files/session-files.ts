import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine } from '../../base/index.ts';

const MANIFEST = 'manifest.json';

/** The manifest in the root of a session, and the lock every writer of it takes. */
export function manifestFiles(sessionRoot: string) {
  return {
    manifest: path.join(sessionRoot, MANIFEST),
    manifestLock: path.join(sessionRoot, 'manifest.lock'),
  };
}

/** A manifest is ours exactly when its file is called manifest.json; its directory is the session root. */
export function rootOfManifest(manifestPath: string): string | undefined {
  return path.basename(manifestPath) === MANIFEST ? path.dirname(manifestPath) : undefined;
}

/** What run/attempt.json reports of a start, beside the id of the attempt. */
export type AttemptResult =
  | { status: 'ready'; instance_id: string; port: number; pid: number }
  | { status: 'failed'; code: string; message: string };

export type GatewayFiles = ReturnType<typeof gatewayFiles>;

/** Every file of a session's gateway, from its directory. */
export function gatewayFiles(gatewayRoot: string) {
  // Whoever lists agents names the files of each: path.join would take longer than reading them.
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
    /** How the agent is woken, beside the queue that holds it: a queue that is lost can be made again as it was. */
    kept: at('kept.json'),
    run: at('run'),
    currentInstance: at('run', 'current-instance.json'),
    attempt: at('run', 'attempt.json'),
    /** Its keeper, or the host that holds it. */
    keeper: at('run', 'keeper.json'),
    /** Made by whoever ends a gateway whose host does not answer: the next host leaves it. */
    letGo: at('run', 'let-go'),
    pidFile: at('run', 'gateway.pid'),
    gatewayLock: at('run', 'gateway.lock'),
    /** Held by whoever types. */
    laneLock: at('run', 'lane.lock'),
    logs: at('logs'),
    log: at('logs', 'gateway.log'),
    /** The last words of a gateway that could not write its log. */
    errors: at('logs', 'gateway.err'),
  };
}

/**
 * What is wrong with a queue file that a gateway has used, as a sentence: it is missing or empty. That is never the beginning
 * of a new one, in which accepted work and wakes would be gone without a word. Undefined when nothing is wrong.
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

/** What mends that. */
export const freshQueueCommand = (agent: string | undefined): string =>
  agent
    ? commandLine`rouse agents gateway attach ${agent} --fresh-queue`
    : 'rouse agents gateway attach --fresh-queue';

export const freshQueueWords = (agent: string | undefined): string =>
  `"${freshQueueCommand(agent)}" starts a new one with the same settings`;
