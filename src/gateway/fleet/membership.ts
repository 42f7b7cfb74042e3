import { readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { commandLine, errnoOf, invalid, readJsonIfExists } from '../../base/index.ts';
import { fleetMembership, parseFile } from '../../wire/index.ts';

/** The fleet server that the session belongs to, and its token there. */
export interface Membership {
  url: string;
  workspaceId: string;
  sessionId: string;
  token: string;
  caFile?: string | undefined;
}

/**
 * Reads the files that launch wrote when it registered the agent; undefined for an agent without a fleet. Read again before
 * each try after a refusal, because a newer registration of the same session replaces both files.
 */
export function readMembership(sessionRoot: string): Membership | undefined {
  const file = path.join(sessionRoot, 'fleet', 'fleet.json');
  const content = readJsonIfExists(file);
  if (content === undefined) return undefined;
  const { url, workspace_id, session_id, ca_file: caFile } = parseFile(fleetMembership, content, file);
  const token = readToken(sessionRoot);
  return { url, workspaceId: workspace_id, sessionId: session_id, token, caFile };
}

function readToken(sessionRoot: string): string {
  const file = path.join(sessionRoot, 'fleet', 'token');
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw invalid(`${file} can be read by others; run "${commandLine`chmod 600 ${file}`}"`);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw invalid(`${file} is missing`);
    throw error;
  }
}
