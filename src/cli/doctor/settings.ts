import * as fs from 'node:fs';
import { shellQuote } from '../../base/index.ts';
import { choices, readConfig, readSettings } from '../settings.ts';
import { type Check, ok, problem, warning } from './check.ts';

/** The configuration files, and the fleet server that is configured. */

const config: Check = {
  id: 'config',
  async look({ env }) {
    const files = await readConfig(env);
    choices(env, files);
    const { own, project } = files;
    const found = ok('config', own.file ? own.path : `${own.path} not found (optional)`);
    if (!project || project.state === 'trusted') return [found];
    const trust = 'look at it, then run: rouse config trust';
    return [
      project.problem
        ? warning(
            'config',
            `${project.path} is ignored: ${project.problem.message}`,
            project.problem.hint ?? null,
          )
        : warning(
            'config',
            `${project.path} is ignored: it ${project.state === 'changed' ? 'changed since you trusted it' : 'is not trusted yet'}`,
            trust,
          ),
    ];
  },
};

const ANSWER_MS = 3000;

const fleet: Check = {
  id: 'fleet',
  async look({ env }) {
    const { fleet: place } = readSettings(env, await readConfig(env));
    if (!place) return [ok('fleet', 'not configured')];
    const { fleetClientOf } = await import('../../client/index.ts');
    const stat = fs.statSync(place.tokenFile, { throwIfNoEntry: false });
    if (!stat?.isFile())
      return [
        problem(
          'fleet',
          `there is no token file ${place.tokenFile} for ${place.url}`,
          'rouse server init, or set ROUSE_FLEET_TOKEN_FILE',
        ),
      ];
    if ((stat.mode & 0o077) !== 0)
      return [
        {
          ...problem(
            'fleet',
            `other accounts may read the token ${place.tokenFile}`,
            `chmod 600 ${shellQuote(place.tokenFile)}`,
          ),
          repair: () => fs.chmodSync(place.tokenFile, 0o600),
        },
      ];
    const client = fleetClientOf(place, { timeoutMs: ANSWER_MS });
    await client.call('ready', {});
    return [ok('fleet', `${place.url} is ready`)];
  },
};

export const SETTINGS_CHECKS: Check[] = [config, fleet];
