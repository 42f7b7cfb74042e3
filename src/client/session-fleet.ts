import * as path from 'node:path';
import { invalid, readJsonIfExists, writeFileAtomic } from '../base/index.ts';

export interface SessionFleet {
  url: string;
  workspaceId: string;
  /** 0600; rewritten when the agent registers again. */
  tokenFile: string;
  caFile?: string | undefined;
}

/** The fleet server that the session of this root is registered with; undefined without one. */
export function sessionFleet(sessionRoot: string): SessionFleet | undefined {
  const file = path.join(sessionRoot, 'fleet', 'fleet.json');
  const found = readJsonIfExists(file) as Partial<Record<string, unknown>> | undefined;
  if (found === undefined) return undefined;
  const { url, workspace_id: workspaceId, ca_file: caFile } = found ?? {};
  if (typeof url !== 'string' || typeof workspaceId !== 'string') {
    throw invalid(`${file} must hold url and workspace_id`);
  }
  const tokenFile = path.join(sessionRoot, 'fleet', 'token');
  return { url, workspaceId, tokenFile, ...(typeof caFile === 'string' && { caFile }) };
}

/** Written beside the session's registration when its mailbox was linked with the fleet or unlinked, as a hint to its gateway. */
export const MAIL_LINK_HINT = 'mail-link';

export function hintMailLink(fleetDirectory: string): void {
  writeFileAtomic(path.join(fleetDirectory, MAIL_LINK_HINT), `${process.pid}\n`, { mode: 0o600 });
}
