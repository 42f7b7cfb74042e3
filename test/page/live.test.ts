import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { agentRow, WAIT } from './support/jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

let world: ShownWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  for (const name of ['ana', 'ben']) await world.launch(name);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const LOOK = { width: 1280, theme: 'light' } as const;
const streams = async (): Promise<number> => {
  const response = await fetch(`${world.origin}/ui/api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { tabs: number }[] };
  return sessions.reduce((all, { tabs }) => all + tabs, 0);
};

describe.runIf(FULL)('a page that is kept open', () => {
  it('the page has one stream for all tabs of a browser, which another tab takes over', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const first = await visitor.tab(await world.link());
    const second = await visitor.tab('/ui/');
    for (const page of [first, second]) await page.locator('[data-live="live"]').waitFor();
    await expect.poll(streams, WAIT).toBe(1);
    await world.agent('ana').control.send('open-dialog', { kind: 'permission' });
    for (const page of [first, second]) await agentRow(page, 'ana').getByText('permission dialog').waitFor();
    await first.close();
    await world.agent('ana').control.send('close-dialog');
    await agentRow(second, 'ana').getByText('permission dialog').waitFor({ state: 'detached' });
    await expect.poll(streams, WAIT).toBe(1);
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
    await expect.poll(streams, WAIT).toBe(0);
  });

  it('the page moves no row under the pointer: what is new waits behind a count', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const page = await visitor.tab(await world.link());
    const row = agentRow(page, 'ben');
    await row.hover();
    const before = await row.boundingBox();
    await world.agent('ana').control.send('open-dialog', { kind: 'permission' });
    await agentRow(page, 'ana').getByText('permission dialog').waitFor();
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await page.getByRole('region', { name: 'Needs you' }).getByText('Dialog').waitFor();
    expect((await row.boundingBox())?.y).toBeGreaterThan(before?.y ?? 0);
    await world.agent('ana').control.send('close-dialog');
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });

  it('an open page says that an agent is gone when it is stopped', async () => {
    await world.launch('gus');
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const page = await visitor.tab(await world.link({}, '/ui/agents/gus'));
    await page.getByRole('heading', { level: 1, name: 'gus', exact: true }).waitFor();
    await world.stop('gus');
    await page.getByRole('heading', { name: 'There is no agent gus' }).waitFor();
    await page.getByRole('link', { name: 'All agents' }).click();
    await agentRow(page, 'ana').waitFor();
    expect(await agentRow(page, 'gus').count()).toBe(0);
    await visitor.leave();
  });

  it('the page can be navigated by keys, which can be switched off', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const page = await visitor.tab(await world.link());
    await agentRow(page, 'ana').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'ana' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('region', { name: 'Conversations' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search everything' }).fill('/?jk');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('switch', { name: 'Single-key commands' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog', { name: 'Keyboard' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });

  it('an open page notifies of what needs a person, by kind, with name and reason', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    await visitor.context.grantPermissions(['notifications'], { origin: world.origin });
    await visitor.context.addInitScript(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      class Shown {
        static permission = 'granted';
        onclick: (() => void) | null = null;
        constructor(title: string, { body }: { body: string }) {
          said.push(`${title}: ${body}`);
        }
        close() {}
      }
      Object.assign(window, { Notification: Shown });
      Document.prototype.hasFocus = () => false;
    });
    const page = await visitor.tab(await world.link());
    await agentRow(page, 'ana').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('switch', { name: 'Notify me' }).click();
    await world.agent('ana').control.send('open-dialog', { kind: 'permission' });
    const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
    await expect.poll(said, WAIT).toEqual([expect.stringMatching(/^ana: .*permission/)]);
    await world.agent('ana').control.send('close-dialog');
    await visitor.leave();
  });
});

describe('a part of the page that the server does not give', () => {
  it('a part of the page that the server does not give leaves the rest as it is, says so, and comes when it can be had', async () => {
    const visitor = await Visitor.come(browser, LOOK, world.origin);
    const parts = /assets\/(settings-menu|mail-page|draw-hour)-/;
    await visitor.context.route(parts, (route) => route.abort());
    const page = await visitor.tab(await world.link());
    await page.locator('[data-live="live"]').waitFor();
    await agentRow(page, 'ana').waitFor();
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await page.getByText('This view could not be loaded').waitFor();
    await visitor.context.unroute(parts);
    await page.getByRole('button', { name: 'Settings' }).waitFor();
    await page.getByRole('region', { name: 'Conversations' }).waitFor();
    expect(visitor.problems.filter((each) => !/Failed to load/.test(each))).toEqual([]);
    await visitor.leave();
  });
});

describe.runIf(FULL)('a page whose server is gone', () => {
  it('a page whose server is gone says how old its picture is, and that its session ended when another server answers', async () => {
    const short = await ShownWorld.open();
    const visitor = await Visitor.come(browser, LOOK, short.origin);
    const page = await visitor.tab(await short.link());
    await page.locator('[data-live="live"]').waitFor();
    // Before it is completely gone: another server may have its port soon after.
    const noticed = Promise.all([
      page.locator('[data-live="lost"]').waitFor(),
      page.getByText(/Not live: this is the state at/).waitFor(),
    ]);
    await short.close();
    await noticed;
    expect(visitor.problems.filter((each) => !/ERR_|Failed to load/.test(each))).toEqual([]);
    await visitor.leave();
  });
});
