import * as path from 'node:path';
import { ensurePrivateDirectory } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';

/** Every place of one session. The manifest's directory is the session root; nothing of a session lies outside it. */
export interface SessionPaths {
  root: string;
  manifest: string;
  manifestLock: string;
  /** One life-cycle action at a time: attach, detach, stop, relaunch, cleaning up. */
  lifecycleLock: string;
  /** What starts the tool, and what it left behind: scripts, settings of this session only, exit record. */
  launch: string;
  /** One file per event a tool's hooks reported. */
  signals: string;
  gateway: string;
  gatewayManifest: string;
  attach: string;
  desiredConfig: string;
  state: string;
  protocolVersion: string;
  events: string;
  queue: string;
  run: string;
  currentInstance: string;
  attempt: string;
  pidFile: string;
  gatewayLock: string;
  logs: string;
  log: string;
  /** The last words of a gateway that could not write its log. */
  errors: string;
}

export function sessionPaths(root: string): SessionPaths {
  const inRoot = (...parts: string[]): string => path.join(root, ...parts);
  return {
    root,
    manifest: inRoot('manifest.json'),
    manifestLock: inRoot('manifest.lock'),
    lifecycleLock: inRoot('lifecycle.lock'),
    launch: inRoot('launch'),
    signals: inRoot('signals'),
    gateway: inRoot('gateway'),
    gatewayManifest: inRoot('gateway', 'gateway_manifest.json'),
    attach: inRoot('gateway', 'attach.json'),
    desiredConfig: inRoot('gateway', 'desired-config.json'),
    state: inRoot('gateway', 'state.json'),
    protocolVersion: inRoot('gateway', 'protocol-version.txt'),
    events: inRoot('gateway', 'events.jsonl'),
    queue: inRoot('gateway', 'queue.sqlite'),
    run: inRoot('gateway', 'run'),
    currentInstance: inRoot('gateway', 'run', 'current-instance.json'),
    attempt: inRoot('gateway', 'run', 'attempt.json'),
    pidFile: inRoot('gateway', 'run', 'gateway.pid'),
    gatewayLock: inRoot('gateway', 'run', 'gateway.lock'),
    logs: inRoot('gateway', 'logs'),
    log: inRoot('gateway', 'logs', 'gateway.log'),
    errors: inRoot('gateway', 'logs', 'gateway.err'),
  };
}

/** The session root of a new session: `<runtime>/sessions/<backend>/<session-id>`. */
export function newSessionRoot(runtimeDir: string, backend: BackendKind, sessionId: string): string {
  return path.join(runtimeDir, 'sessions', backend, sessionId);
}

/** A manifest is ours exactly when its file is called manifest.json; its directory is the session root. */
export function rootOfManifest(manifestPath: string): string | undefined {
  return path.basename(manifestPath) === 'manifest.json' ? path.dirname(manifestPath) : undefined;
}

export function makeSessionDirectories(paths: SessionPaths): void {
  for (const directory of [paths.root, paths.launch, paths.signals, paths.gateway, paths.run, paths.logs]) {
    ensurePrivateDirectory(directory);
  }
}
