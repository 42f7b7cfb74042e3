import * as fs from 'node:fs';
import * as path from 'node:path';
import { type FileLock, tryLockFile } from '../../base/index.ts';
import { besideOf } from '../../wire/files/beside.ts';
import { offlineDocument, writeDerivedFiles, writeStatus } from '../records/gateway-documents.ts';
import { closeGatewayWindow } from '../records/gateway-window.ts';
import { claimsAgentWindow, readRecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { withdrawGateway } from '../records/registry.ts';
import { makeSessionDirectories, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';
import { NO_BINDINGS } from './live-bindings.ts';

/**
 * Puts a session whose gateway is gone back into the state "capable, not attached". Only when nothing else is at
 * work on it: an attach or detach under way holds the life-cycle lock, a gateway (even one that has not answered
 * yet) holds its own. Of one that runs and does not answer, only what others are told is put right: its variables, its
 * status, its place in the registry. Its record stays, by which the next attach finds and ends it.
 */
export async function clearStale(context: SessionContext, facts: ManifestFacts): Promise<string[]> {
  const paths = sessionPaths(facts.root);
  makeSessionDirectories(paths);
  const lifecycle = tryLockFile(paths.lifecycleLock);
  if (!lifecycle) return ['another attach or detach is under way'];
  try {
    const gateway = tryLockFile(paths.gatewayLock);
    if (!gateway) {
      await tellOffline(context, facts);
      return ['a gateway process runs but does not answer; its address was withdrawn'];
    }
    return await clearHolding(gateway, () => restoreOffline(context, facts));
  } finally {
    lifecycle.release();
  }
}

async function clearHolding(lock: FileLock, work: () => Promise<void>): Promise<string[]> {
  try {
    await work();
    return ['a gateway that is gone was cleared away'];
  } finally {
    lock.release();
  }
}

/** The state after a detach. The caller holds the life-cycle lock and knows that no gateway lives. */
export async function restoreOffline(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const paths = sessionPaths(facts.root);
  const recorded = readRecordedGateway(paths);
  if (recorded && typeof recorded !== 'string' && !claimsAgentWindow(recorded)) {
    await closeGatewayWindow(context, facts, recorded);
  }
  removeRunFiles(paths);
  await tellOffline(context, facts);
}

/** Nobody is led to a gateway that does not answer. */
async function tellOffline(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const paths = sessionPaths(facts.root);
  await unpublish(context, facts);
  writeStatus(paths, offlineDocument(paths, facts));
  writeDerivedFiles(paths, facts, undefined);
  await withdrawGateway(context.settings.registryDir, facts, context.clock);
}

/** Only in a session that is still this agent's: one that was given back has variables of its own again. */
async function unpublish(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const tmux = tmuxOf(context, facts);
  const variables = await tmux.environment(holderOf(facts));
  const ours =
    variables?.get('HOUMAO_MANIFEST_PATH') === facts.path ||
    variables?.get('HOUMAO_GATEWAY_STATE_PATH') === sessionPaths(facts.root).state;
  if (ours) await tmux.setEnvironment(holderOf(facts), NO_BINDINGS);
}

function removeRunFiles(paths: SessionPaths): void {
  const instance = [paths.currentInstance, besideOf(paths.currentInstance)];
  for (const file of [...instance, paths.pidFile, paths.attempt, path.join(paths.run, 'env')])
    fs.rmSync(file, { force: true });
}
