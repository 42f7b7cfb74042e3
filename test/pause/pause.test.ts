import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawSeed } from '../support/draw-seed.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { FULL } from '../support/sample.ts';
import { Seeded } from '../support/seeded.ts';
import { TestWorld } from '../support/test-world.ts';
import { CAUSES, type Caused, PausedAgent, some } from './paused-agent.ts';

/**
 * Pauses at random moments against everything that types by itself: wakes for mail, reminders, messages of the fleet, and what
 * a killed gateway left. ROUSE_PROOF=full tries 1,000 times; ROUSE_SEED repeats a run's choices.
 */
const TRIES = Number(process.env['ROUSE_TRIES'] ?? (FULL ? 1000 : 8));
const AGENTS = FULL ? 4 : 1;
const SEED = drawSeed();

let world: TestWorld;
let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet();
  world = new TestWorld();
  const tokenFile = path.join(world.directory, 'token');
  fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
  world.fleet = { url: fleet.url, tokenFile };
});
afterAll(async () => {
  await world.close();
  await fleet.stop();
});

const counts = {
  tries: 0,
  kills: 0,
  caused: 0,
  held: 0,
  delivered: 0,
  reported: 0,
  own_prompts: 0,
  wakes_after: 0,
};

it('while an agent is paused nothing is typed into it by itself, nothing is lost when it is resumed, and nothing bursts', async () => {
  const agents: PausedAgent[] = [];
  for (let at = 0; at < AGENTS; at++) agents.push(await PausedAgent.open(world, fleet, `pam-${at + 1}`));
  await Promise.all(
    agents.map(async (agent, at) => {
      const random = new Seeded(SEED + at);
      for (let n = at; n < TRIES; n += AGENTS) await tryOnce(agent, random);
    }),
  );
  proofReport(`pause: ${inWords(counts)}; 0 typed while paused; seed ${SEED}`);
  expect(counts.tries).toBe(TRIES);
  expect(counts.held).toBeGreaterThan(TRIES / 2);
}, 1_800_000);

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Causes, a pause at a random moment, more causes, perhaps a kill, and the end of the pause. */
async function tryOnce(agent: PausedAgent, random: Seeded): Promise<void> {
  counts.tries++;
  const caused: Caused[] = [];
  const wakesBefore = agent.wakes;
  for (const cause of some(random, CAUSES)) caused.push(await agent.cause(cause));
  // The random moment: between nothing and the proof that the tool took a prompt.
  await wait(random.below(160));
  const killsEarly = random.next() < 0.1;
  if (killsEarly) kill(agent);
  const pausedAt = await agent.pause();
  const before = caused.length;
  for (const cause of some(random, CAUSES)) caused.push(await agent.cause(cause));
  if (caused.length === before) caused.push(await agent.cause(random.pick(CAUSES)));
  await agent.held(caused);
  const received = agent.received.length;
  if (random.next() < 0.25) {
    kill(agent);
    await agent.held(caused);
  }
  let own = 0;
  if (random.next() < 0.2) {
    await agent.prompt();
    own = 1;
    counts.own_prompts++;
    await agent.held(caused);
  }
  expect(agent.received.length).toBe(received + own);
  const lateCauses = caused.slice(before);
  counts.held += lateCauses.length;
  for (const { cause, text } of lateCauses) if (cause !== 'mail') expect(agent.received).not.toContain(text);
  const wakesHeld = agent.wakes;
  const resumedAt = await agent.resume();
  await agent.delivered(caused);
  await judge(agent, caused);
  const typed = (await agent.automaticKeys()).filter((at) => at > pausedAt && at < resumedAt);
  expect(typed).toEqual([]);
  const mails = caused.filter(({ cause }) => cause === 'mail').length;
  // One wake for all mail that waited, and none without mail.
  expect(agent.wakes - wakesHeld).toBeLessThanOrEqual(mails > 0 ? 1 : 0);
  expect(agent.wakes - wakesBefore).toBeLessThanOrEqual(mails);
  counts.wakes_after += agent.wakes - wakesHeld;
}

/** Each reached the agent once, or ended with its reason. */
async function judge(agent: PausedAgent, caused: readonly Caused[]): Promise<void> {
  for (const each of caused) {
    counts.caused++;
    if (each.cause === 'mail') continue;
    const times = agent.received.filter((text) => text === each.text).length;
    const outcome = await agent.reported(each);
    if (times === 0)
      expect([each.text, outcome]).toEqual([each.text, expect.stringMatching(/^(unconfirmed|failed)$/)]);
    else expect([each.text, times]).toEqual([each.text, 1]);
    if (times === 0) counts.reported++;
    else counts.delivered++;
  }
}

function kill(agent: PausedAgent): void {
  counts.kills++;
  agent.kill();
}
