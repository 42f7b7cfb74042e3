import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Newcomer } from '../first-hour/newcomer.ts';
import { isWoken, play, succeeds } from '../first-hour/play.ts';
import { readmeLines } from '../first-hour/readme.ts';
import { MockModel } from './model/mock-model.ts';
import { doMail } from './round/do-mail.ts';
import { findInstalled } from './support/installed-tool.ts';
import { REAL_TOOLS } from './support/real-tools.ts';

const AN_HOUR = 1_200_000;
const TOOLS = [REAL_TOOLS.claude, REAL_TOOLS.codex];

/** Like test/first-hour, but with the tools that the README names, already logged in. */
describe('the first hour of the README with claude and codex', () => {
  const model = new MockModel();
  const newcomer = new Newcomer({
    tools: TOOLS.flatMap(({ tool }) => findInstalled(tool).directories),
    env: { npm_config_offline: 'true' },
  });

  beforeAll(async () => {
    await model.open();
    model.script = doMail;
    const { home, clone: workdir } = newcomer;
    const place = { home, workdir, modelUrl: model.url, secret: 'credential-of-this-test', trusted: true };
    for (const { setUp } of TOOLS) Object.assign(newcomer.env, setUp({ ...place, stock: true }));
  });

  afterAll(async () => {
    model.close();
    expect(await newcomer.leaves()).toEqual([]);
  }, 300_000);

  it('the first hour of the README with claude and codex ends with two agents that mail has woken, and that have done their mail', {
    timeout: AN_HOUR,
  }, async () => {
    for (const line of readmeLines('The first hour')) await play(newcomer, line);
    for (const name of ['ana', 'ben']) {
      expect(await isWoken(newcomer, name)).toBe(true);
      const archive = `rouse mail list --address ${name}@houmao.localhost --box archive`;
      await newcomer.until(`${name} to archive its mail`, async () =>
        /HOUMAO-operator/.test((await newcomer.types(archive)).text),
      );
      await succeeds(newcomer, `rouse stop ${name}`);
    }
  });
});
