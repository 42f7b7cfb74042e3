import * as fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from './flat-file.ts';
import { TestAgent } from './world.testing.ts';

let world: TestAgent;
let box: TestAgent['box'];
let text: TestAgent['text'];
let refs: TestAgent['refs'];
let send: TestAgent['send'];

beforeEach(() => {
  world = new TestAgent();
  ({ box, text, refs, send } = world);
});
afterEach(() => world.end());

describe('archive', () => {
  it('archive moves blocks byte by byte, newest on top, and leaves the rest as it was', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await send(id, `body ${id}`);
    const blockOf = (id: string): string =>
      new RegExp(`---\\nfrom[\\s\\S]*?msg-id: ${id}\\n---\\n\\nbody ${id}\\n\\n`).exec(
        text().slice(text().lastIndexOf('---\nfrom', text().indexOf(`msg-id: ${id}`))),
      )![0];
    const [b, c] = [blockOf('b'), blockOf('c')];
    const before = text();
    expect(await box.archive({ refs: ['b', 'c'] })).toEqual(['c', 'b']);
    expect(text()).toBe(before.replace(c, '').replace(b, ''));
    expect(fs.readFileSync(box.paths.archive, 'utf8').endsWith(c + b)).toBe(true);
    expect(await box.archive({ refs: ['b'] })).toEqual([]);
    await box.archive({ refs: ['a', 'b', 'd'] });
    expect(new FlatFile(box.paths.archive).list().entries.map(({ ref }) => ref)).toEqual([
      'd',
      'a',
      'c',
      'b',
    ]);
    expect(box.show('b')).toMatchObject({ archived: true, body: 'body b' });
  });

  it('archive chooses by status and age', async () => {
    await send('new', 'x', { created: '2026-06-01', status: 'actioned' });
    await send('old', 'x', { created: '2026-01-01', status: 'actioned' });
    await send('open', 'x', { created: '2026-01-01' });
    expect(await box.archive({ statuses: ['actioned'], before: new Date('2026-03-01') })).toEqual(['old']);
    await expect(box.archive({})).rejects.toMatchObject({ code: 'invalid' });
    await expect(box.archive({ refs: ['open', 'unknown'] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(new FlatFile(box.paths.archive).archive({ refs: ['old'] })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(refs()).toEqual(['open', 'new']);
  });

  it.each([
    [
      'before the archive is replaced',
      'archive-written',
      { here: ['b', 'a'], archived: false, file: ['b', 'a'] },
    ],
    ['before the mailbox is replaced', 'mailbox-written', { here: ['b'], archived: true, file: ['b', 'a'] }],
  ])('archive on a full disk loses nothing: %s', async (_, at, then) => {
    for (const id of ['a', 'b']) await send(id);
    await box.idle();
    let full = true;
    const step = (name: string): void => {
      if (full && name === `flatfile.archive.${at}`)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const filling = new FlatFile(world.inbox, { step });
    await expect(filling.archive({ refs: ['a'] })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no room to write a new version'),
    });
    expect(refs()).toEqual(then.here);
    expect(box.show('a')).toMatchObject({ archived: then.archived });
    expect(text().match(/(?<=msg-id: ).*/g)).toEqual(then.file);
    full = false;
    await box.archive({ refs: ['a'] });
    expect(text().match(/(?<=msg-id: ).*/g)).toEqual(['b']);
    expect(new FlatFile(box.paths.archive).list().entries.map(({ ref }) => ref)).toEqual(['a']);
  });
});
