import * as fs from 'node:fs';
import { commandLine, isProcessAlive, readIfExists, whyUnwritable } from '../../base/index.ts';
import { describeStanding, MEND_UNWRITABLE, type Standing, standingOf } from '../../domain/index.ts';
import { isUnkept } from './keeper.ts';
import { readRecordedGateway } from './live-gateway.ts';
import type { SessionPaths } from './session-paths.ts';

/** Of a gateway that runs, what whoever looks at it from outside can see and it may not know itself. */

/** How it stands with an agent, as its gateway last said it, and as it is seen from outside. */
export function seenFromOutside(standing: Standing, paths: SessionPaths): Standing {
  if (standing.state === 'gone') return standing;
  const unwritable = whyUnwritable(paths.gateway);
  if (unwritable !== undefined) {
    const gateway_trouble = { reason: unwritable, ...MEND_UNWRITABLE };
    return standingOf({ tool: '', reasons: undefined, gateway_trouble });
  }
  if (standing.needs_you !== null || !isUnkept(paths)) return standing;
  const { needs_you, need } = describeStanding({ code: 'gateway_unkept' }, {});
  return { ...standing, needs_you, ...(need && { need }) };
}

/** Fresh enough that its glance may still be on the way. */
const JUST_STARTED_MS = 2000;

/** A gateway that runs and has taken its glance away, since it cannot write it. Undefined when that is not so. */
export function muteStanding(paths: SessionPaths, agentName: string): Standing | undefined {
  if (isJson(paths.glance)) return undefined;
  const recorded = readRecordedGateway(paths);
  if (recorded === undefined || typeof recorded === 'string' || !isProcessAlive(recorded.identity))
    return undefined;
  const stat = fs.statSync(paths.currentInstance, { throwIfNoEntry: false });
  if (!stat || Math.abs(Date.now() - stat.mtimeMs) < JUST_STARTED_MS) return undefined;
  const command = commandLine`rouse status ${agentName}`;
  const value = `its gateway cannot write its files; "${command}" says why`;
  return describeStanding({ code: 'gateway_in_trouble', value, command }, { agent: agentName });
}

/** A glance that was written over is not, for a moment. */
function isJson(file: string): boolean {
  try {
    JSON.parse(readIfExists(file) ?? '');
    return true;
  } catch {
    return false;
  }
}
