import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';
import { startBare } from './support/bare-origin.ts';
import { openBrowser, Visitor } from './support/browser.ts';
import { ShownWorld } from './support/shown-world.ts';

/** Who is admitted and who is not. No agents are needed for that. */
let world: ShownWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const LOOK = { width: 1280, theme: 'light' } as const;
const come = () => Visitor.come(browser, LOOK, world.origin);
/** The browser's own message for every response with an error status. */
const others = (problems: readonly string[]) => problems.filter((each) => !/status of 40[13]/.test(each));

describe('the door of the page', () => {
  it('the door of the page opens once for a code, which stays in no address, and not a second time in another browser', async () => {
    const link = await world.link();
    const first = await come();
    const page = await first.tab(link);
    await page.locator('[data-live="live"]').waitFor();
    expect(page.url()).toBe(`${world.origin}/ui/`);
    const second = await come();
    const closed = await second.tab(link);
    await closed.getByRole('heading', { name: 'This link no longer opens the page' }).waitFor();
    await closed.getByText('rouse dashboard').waitFor();
    expect(others(second.problems)).toEqual([]);
    expect(first.problems).toEqual([]);
    await first.leave();
    await second.leave();
  });

  it('the door of the page shows a person without a code how to get one', async () => {
    const visitor = await come();
    const page = await visitor.tab('/ui/agents/ana');
    await page.getByRole('heading', { name: 'You are not logged in' }).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.leave();
  });

  it('a page of another origin reads nothing and changes nothing, although the browser is logged in', async () => {
    const visitor = await come();
    const own = await visitor.tab(await world.link());
    await own.locator('[data-live="live"]').waitFor();
    const other = await startBare('<!doctype html><title>elsewhere</title>');
    const foreign = await visitor.context.newPage();
    await foreign.goto(other.url);
    const tries = await foreign.evaluate(async (origin) => {
      const asked = async (path: string, init: RequestInit) => {
        try {
          const response = await fetch(origin + path, { credentials: 'include', ...init });
          return `${response.type} ${response.status}`;
        } catch {
          return 'refused';
        }
      };
      const body = JSON.stringify({ code: 'x' });
      return [
        await asked('/ui/api/snapshot', {}),
        await asked('/ui/api/session', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        }),
        await asked('/ui/api/session', { method: 'POST', body, mode: 'no-cors' }),
        await asked('/ui/api/session', { method: 'DELETE' }),
      ];
    }, world.origin);
    expect(tries[0]).toBe('refused');
    expect(tries[1]).toBe('refused');
    expect(tries[2]).toMatch(/^(refused|opaque 0)$/);
    expect(tries[3]).toBe('refused');
    await own.reload();
    await own.locator('[data-live="live"]').waitFor();
    await other.stop();
    await visitor.leave();
  });

  it('the page shows everything to a person who may only look, and lets them do nothing', async () => {
    await world.asks('May I, viewer?');
    const visitor = await come();
    const page = await visitor.tab(await world.link({ role: 'view', name: 'vera' }, '/ui/requests'));
    const card = page.getByRole('listitem').filter({ hasText: 'May I, viewer?' });
    expect(await card.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    const refused = await page.evaluate(async () => {
      const csrf = localStorage.getItem('rouse.csrf') ?? '';
      const { requests } = (await (
        await fetch('/ui/api/requests?view=for_me', { headers: { 'x-rouse-page': csrf } })
      ).json()) as { requests: { id: string }[] };
      const answer = await fetch(`/ui/api/requests/${requests[0]?.id}/respond`, {
        method: 'POST',
        headers: { 'x-rouse-page': csrf, 'content-type': 'application/json' },
        body: JSON.stringify({ action_id: crypto.randomUUID(), action: 'approved', note: null }),
      });
      return answer.status;
    });
    expect(refused).toBe(403);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByText('may look').waitFor();
    await visitor.leave();
  });

  it('the page says when a person ended its session, and stops showing what it knew', async () => {
    const visitor = await come();
    const page = await visitor.tab(await world.link({ name: 'olga' }));
    await page.locator('[data-live="live"]').waitFor();
    const revoked = await fetch(`${world.origin}/ui/api/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'olga' }),
    });
    expect(revoked.status).toBe(200);
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect(await page.locator('table').count()).toBe(0);
    // In the same tab only the part after the # differs.
    await page.goto(new URL(await world.link(), world.origin).href);
    await page.locator('[data-live="live"]').waitFor();
    expect(others(visitor.problems)).toEqual([]);
    await visitor.leave();
  });
});

describe.runIf(FULL)('a session whose time is over', () => {
  it('a session whose time is over ends under an open tab, and the page says so', async () => {
    const short = await ShownWorld.open({ page: { idleMs: 60_000, longestMs: 3000 } });
    const visitor = await Visitor.come(browser, LOOK, short.origin);
    const page = await visitor.tab(await short.link());
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect(await page.locator('table').count()).toBe(0);
    expect(others(visitor.problems)).toEqual([]);
    await visitor.leave();
    await short.close();
  });
});
