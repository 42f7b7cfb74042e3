import * as fs from 'node:fs';
import { shellQuote } from '../../base/index.ts';
import { choices, readConfig, readSettings } from '../settings.ts';
import { type Check, ok, problem, warning } from './check.ts';

/** What the files say, and the fleet server they or the environment name. */

const config: Check = {
  id: 'config',
  async look({ env }) {
    const files = await readConfig(env);
    choices(env, files);
    const { own, project } = files;
    const said = ok('config', own.file ? own.path : `${own.path} is not there, and need not be`);
    if (!project || project.state === 'trusted') return [said];
    const trust = 'look at it, then run: rouse config trust';
    return [
      project.problem
        ? warning(
            'config',
            `${project.path} is not obeyed: ${project.problem.message}`,
            project.problem.hint ?? null,
          )
        : warning(
            'config',
            `${project.path} is not obeyed: it is ${project.state === 'changed' ? 'not as you trusted it' : 'not trusted'}`,
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
    if (!place) return [ok('fleet', 'none is configured')];
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
    return [ok('fleet', `${place.url} answers`)];
  },
};

export const SETTINGS_CHECKS: Check[] = [config, fleet];
