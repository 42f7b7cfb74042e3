import * as fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestAgent } from './world.testing.ts';

let world: TestAgent;
let inbox: string;
let box: TestAgent['box'];
let text: TestAgent['text'];
let refs: TestAgent['refs'];
let send: TestAgent['send'];

beforeEach(() => {
  world = new TestAgent();
  ({ inbox, box, text, refs, send } = world);
});
afterEach(() => world.end());

describe('set-status', () => {
  it('set-status changes one envelope and no other byte', async () => {
    for (const id of ['a', 'b', 'c']) await send(id, `body of ${id}\n\n---\n`);
    const before = text();
    await box.setStatus(['b'], { to: 'stale' });
    expect(text()).toBe(before.replace(/(status: )pending(\nmsg-id: b\n)/, '$1stale$2'));
  });

  it('set-status changes all of several or none, and only from the expected status', async () => {
    for (const id of ['a', 'b']) await send(id);
    const before = text();
    await expect(box.setStatus(['a', 'x'], { to: 'stale' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(box.setStatus(['a'], { to: 'stale', from: 'actioned' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(box.setStatus(['a'], { to: 'done' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(box.setStatus(['a'], { to: 'actioned', note: 'x\ny' })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(text()).toBe(before);
    await box.setStatus(['a', 'b'], { to: 'actioned', from: 'pending', by: 'ben', note: 'done: all of it' });
    for (const { fields } of box.list().entries) {
      expect(Object.fromEntries(fields)).toMatchObject({
        status: 'actioned',
        actioned_by: 'ben',
        actioned_note: 'done: all of it',
      });
    }
  });

  it('set-status leaves one status line where there were two, in the line ends of the block', async () => {
    fs.writeFileSync(
      inbox,
      '---\r\nfrom: a\r\nto: b\r\nre: c\r\nstatus: pending\r\nmsg-id: m\r\nstatus: stale\r\n---\r\n\r\nx',
    );
    await box.setStatus(['m'], { to: 'actioned' });
    expect(text()).toMatch(
      /^---\r\nfrom: a\r\nto: b\r\nre: c\r\nstatus: actioned\r\nmsg-id: m\r\nactioned_at: [^\r]+\r\n---\r\n\r\nx$/,
    );
  });

  it('set-status names a message without an id by its content', async () => {
    await send(undefined, 'one');
    await send(undefined, 'two');
    const [two] = refs();
    expect(two).toMatch(/^~[0-9a-f]{16}$/);
    await box.setStatus([two!], { to: 'stale' });
    expect(box.list().entries.map(({ fields }) => fields.get('status'))).toEqual(['stale', 'pending']);
  });
});
