import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { detach, stop } from '../../src/session/index.ts';
import type { PageAudit, PageTimeline } from '../../src/wire/index.ts';
import { sampled } from '../support/sample.ts';
import { accessibilityOf, isPhone, LOOKS, openBrowser, sticksOut, Visitor } from './support/browser.ts';
import { agentRow, WAIT } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

let world: ShownWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const done = () => page.getByRole('complementary', { name: 'What you did' });

async function choose(whom: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions on ${whom}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

const audited = async (): Promise<string[]> => {
  const { entries } = (await (await fetch(`${world.origin}/ui/api/audit`)).json()) as PageAudit;
  return entries.map(({ name, action, target, outcome }) => `${name} ${action} ${target} ${outcome}`);
};

/** A shorter change of state is not kept, and ends no mute. */
const keptState = (name: string): Promise<string | null | undefined> =>
  page.evaluate(async (at) => {
    const headers = { 'x-rouse-page': localStorage.getItem('rouse.csrf') ?? '' };
    const { items } = (await (await fetch(at, { headers })).json()) as PageTimeline;
    return items[0]?.outcome;
  }, `/ui/api/agents/${name}/timeline?kinds=state&limit=1`);

describe.each(sampled(import.meta.filename, LOOKS, 1))('acting on agents ($width px, $theme)', (look) => {
  beforeEach(async () => {
    for (const name of ['ana', 'ben']) if (!world.agents[name]) await world.launch(name);
    visitor = await Visitor.come(browser, look, world.origin);
    page = await visitor.tab(await world.link({ role: 'run', name: 'nina' }));
    await page.locator('[data-live="live"]').waitFor();
  }, 120_000);
  afterEach(async () => {
    expect(await accessibilityOf(page)).toEqual([]);
    if (isPhone(look)) expect(await sticksOut(page)).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });

  it('several selected agents are paused and resumed, with one outcome for each', async () => {
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select ana' }).check();
    await page.getByRole('checkbox', { name: 'Select ben' }).check();
    await choose('2 agents', 'Pause for 1 h');
    await expect.poll(() => done().locator('[data-outcome="done"]').count(), WAIT).toBe(2);
    for (const name of ['ana', 'ben']) {
      await done()
        .getByText(new RegExp(`^${name} is paused until`))
        .waitFor();
      await agentRow(page, name).getByText('paused until').waitFor();
      expect((await world.agent(name).client.call('pause.status', {})).paused?.until_utc).toBeTruthy();
    }
    await page.getByRole('button', { name: 'Dismiss what you did' }).click();
    await choose('2 agents', 'Resume');
    await expect.poll(() => done().locator('[data-outcome="done"]').count(), WAIT).toBe(2);
    for (const name of ['ana', 'ben'])
      expect((await world.agent(name).client.call('pause.status', {})).paused).toBeNull();
    await page.getByRole('button', { name: 'Done selecting' }).click();
  });

  it('the needs of a muted agent are hidden from this person until its state changes', async () => {
    const { control } = world.agent('ana');
    await control.send('open-dialog', { kind: 'permission', title: 'Run the tests' });
    const need = page
      .getByRole('region', { name: 'Needs you' })
      .getByRole('button', { name: 'Answer ana', exact: true });
    await need.waitFor();
    await page.goto(new URL('/ui/agents/ana', world.origin).href);
    await choose('ana', 'Mute until its state changes');
    await done().getByText('ana is muted for you').waitFor();
    await page.goto(new URL('/ui/', world.origin).href);
    await page.getByText('Muted: ana').waitFor();
    await agentRow(page, 'ana').getByText('muted', { exact: true }).waitFor();
    expect(await need.count()).toBe(0);
    const other = await visitor.tab(await world.link({ role: 'view', name: 'olga' }));
    await other.getByRole('button', { name: 'Answer ana', exact: true }).waitFor();
    await other.close();
    await control.send('close-dialog');
    await page.getByText('Muted: ana').waitFor({ state: 'detached' });
    await expect.poll(() => keptState('ana'), WAIT).toBe('idle');
    await control.send('open-dialog', { kind: 'permission', title: 'Run the tests' });
    // The other link ended the first session of this browser, so its person looks again.
    await page.goto(new URL(await world.link({ role: 'run', name: 'nina' }), world.origin).href);
    await need.waitFor();
    await control.send('close-dialog');
    await need.waitFor({ state: 'detached' });
  });

  it('an agent is relaunched and stopped, and what happens is named before and after', async () => {
    const ben = world.agent('ben');
    await ben.control.send('busy', { ms: 600_000 });
    await page.goto(new URL('/ui/agents/ben', world.origin).href);
    await page.locator('header').getByText('working').first().waitFor();
    await choose('ben', 'Stop …');
    const asked = page.getByRole('dialog', { name: 'Stop ben?' });
    await asked.getByText('It is in the middle of a turn, which is cut off.').waitFor();
    expect(await accessibilityOf(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await choose('ben', 'Relaunch …');
    await page.getByRole('button', { name: 'Relaunch ben' }).click();
    await done()
      .getByText(/^ben: its tool was started again.*its gateway runs.*Its turn was cut off/)
      .waitFor();
    await page.locator('header').getByText('idle').first().waitFor();
    await choose('ben', 'Stop …');
    await asked.getByText('Its tool and its tmux session end.').waitFor();
    await asked.getByRole('button', { name: 'Stop ben' }).click();
    await done().getByText('ben: stopped. Its mail and files are kept.').waitFor();
    await page.getByRole('heading', { name: 'There is no agent ben' }).waitFor();
    delete world.agents['ben'];
    expect((await audited()).slice(0, 2)).toEqual(['nina stop ben ok', 'nina relaunch ben ok']);
  });

  it('a gateway that is down is brought back from home', async () => {
    await detach(world.world.context, { kind: 'local', facts: world.agent('ana').facts });
    await agentRow(page, 'ana').getByText('no gateway').first().waitFor();
    await agentRow(page, 'ana').getByRole('link', { name: 'ana' }).click();
    await page.getByRole('button', { name: 'Actions on ana' }).waitFor();
    await choose('ana', 'Bring its gateway back');
    await done().getByText('The gateway of ana runs').waitFor();
    await page.locator('main header').getByText('idle').first().waitFor();
    await stop(world.world.context, world.agent('ana').facts);
    delete world.agents['ana'];
  });
});

it('a link without the right shows no such action, and the server refuses it', async () => {
  await world.launch('cleo');
  const guest = await Visitor.come(browser, LOOKS[0]!, world.origin);
  const at = await guest.tab(await world.link({ role: 'view' }, '/ui/agents/cleo'));
  await at.getByRole('button', { name: 'Actions on cleo' }).click();
  await at.getByText('rouse dashboard --role run').waitFor();
  expect(await at.getByRole('menuitem').allInnerTexts()).toEqual([
    'Mute until its state changes',
    'Copy rouse open cleo',
  ]);
  const status = await at.evaluate(async () => {
    const response = await fetch('/ui/api/agents/cleo/stop', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-rouse-page': localStorage.getItem('rouse.csrf') ?? '',
      },
      body: JSON.stringify({ action_id: '00000000-0000-4000-8000-000000000000', in_turn: true }),
    });
    return response.status;
  });
  expect(status).toBe(403);
  expect(world.agent('cleo').client).toBeTruthy();
  await guest.leave();
}, 120_000);
