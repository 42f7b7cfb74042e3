import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  errnoOf,
  fsyncDirectory,
  invalid,
  newUuid,
  readIfExists,
} from '../base/index.ts';
import { hostNameOf } from '../domain/names.ts';

/** A host as the fleet knows it. */
export interface HostIdentity {
  /** Made once and kept in the home: it survives a change of the host name; another home has another id. */
  id: string;
  /** For people; no decision depends on it. */
  name: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The host of this home; its id is made when it is first needed. */
export function thisHost(env: NodeJS.ProcessEnv): HostIdentity {
  const home = env['ROUSE_HOME'] || path.join(env['HOME'] || os.homedir(), '.rouse');
  return { id: hostId(home), name: hostNameOf(env['ROUSE_HOST_NAME'], os.hostname()) };
}

function hostId(home: string): string {
  const file = path.join(home, 'host-id');
  const found = readIfExists(file) ?? makeId(home, file);
  const id = found.trim();
  if (UUID.test(id)) return id;
  throw invalid(`${file} does not contain the id of a host`, {
    hint: 'delete it; the next registration with a fleet server makes another one',
  });
}

/** When several processes make one at once, one wins, and all use its id. */
function makeId(home: string, file: string): string {
  ensurePrivateDirectory(home);
  const own = path.join(home, `.host-id.${process.pid}.${newUuid()}`);
  fs.writeFileSync(own, `${newUuid()}\n`, { mode: 0o600, flush: true });
  try {
    fs.linkSync(own, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
  fsyncDirectory(home);
  return fs.readFileSync(file, 'utf8');
}
