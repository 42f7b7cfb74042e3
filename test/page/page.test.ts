import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../support/sample.ts';
import { accessibilityOf, isPhone, LOOKS, openBrowser, sticksOut, Visitor } from './support/browser.ts';
import { JOBS } from './support/jobs.ts';
import { SEEING_JOBS } from './support/seeing-jobs.ts';
import { ShownWorld } from './support/shown-world.ts';

let world: ShownWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([ShownWorld.open(), openBrowser()]);
  for (const name of ['ana', 'ben', 'cleo']) await world.launch(name);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const rows = [...JOBS, ...SEEING_JOBS].flatMap((job) => LOOKS.map((look) => ({ job, look })));

describe('what people do on the page', () => {
  for (const { job, look } of sampled(import.meta.filename, rows, 2))
    it(`${job.name} (${look.width} px, ${look.theme})`, async () => {
      const visitor = await Visitor.come(browser, look, world.origin);
      try {
        const page = await visitor.tab(await world.link());
        await page.locator('[data-live="live"]').waitFor();
        expect(page.url()).not.toContain('code');
        await job.run({ world, visitor, page });
        expect(await accessibilityOf(page)).toEqual([]);
        if (isPhone(look)) expect(await sticksOut(page)).toBe(0);
        expect(visitor.problems).toEqual([]);
      } finally {
        await visitor.leave();
      }
    });
});
