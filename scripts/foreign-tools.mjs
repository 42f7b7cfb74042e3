// Programs of other projects that `npm run test:foreign` runs against ours, in known versions, outside the project. They are
// not dependencies, and nothing else installs them. If one cannot be installed, the run fails.
import { homedir } from 'node:os';
import path from 'node:path';
import { binOf, ensureCli, newerNodeParts, placeOf } from './agent-clis.mjs';

export const FOREIGN = {
  conformance: { package: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12', newerNode: true },
  redocly: { package: '@redocly/cli', version: '2.77.0' },
  a2a: { package: '@a2a-js/sdk', version: '1.3.0' },
};

function foreignDirectory() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return process.env.ROUSE_TEST_FOREIGN || path.join(cache, 'rouse-test', 'foreign');
}

const partOf = (name) => ({ name, directory: foreignDirectory(), ...FOREIGN[name] });
const partsOf = (name) => [...(FOREIGN[name].newerNode ? newerNodeParts() : []), partOf(name)];

export async function ensureForeign(say = console.log) {
  for (const name of Object.keys(FOREIGN)) for (const part of partsOf(name)) await ensureCli(part, say);
}

/** The PATH to run it with. */
export const foreignPath = (name) => [...partsOf(name).map(binOf), process.env.PATH].join(path.delimiter);

/** A module of the package, as a path to import. */
export const foreignModule = (name, file) =>
  path.join(placeOf(partOf(name)), 'node_modules', FOREIGN[name].package, file);
