import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlatFile } from './flat-file.ts';
import { note, TestAgent } from './world.testing.ts';

let world: TestAgent;
let agent: string;

beforeEach(() => {
  world = new TestAgent();
  ({ agent } = world);
});
afterEach(() => world.end());

describe('any sequence of operations', () => {
  it('any sequence of operations leaves exactly the messages a simple model leaves', async () => {
    const step = fc.oneof(
      fc.record({ op: fc.constant('send' as const), id: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ op: fc.constant('archive' as const), id: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ op: fc.constant('status' as const), id: fc.integer({ min: 0, max: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const own = fs.mkdtempSync(path.join(agent, 'run-'));
        fs.mkdirSync(path.join(own, '.agent'));
        const file = new FlatFile(path.join(own, '.agent', 'inbox.md'));
        const model = { inbox: [] as string[], archive: [] as string[], status: new Map<string, string>() };
        for (const { op, id: n } of steps) {
          const id = `m-${n}`;
          if (op === 'send') {
            const known = model.status.has(id);
            expect((await file.prepend(note(id, '---\n'))).result).toBe(known ? 'duplicate' : 'prepended');
            if (!known) model.inbox.unshift(id);
            model.status.set(id, model.status.get(id) ?? 'pending');
          } else if (op === 'archive') {
            const done = file.archive({ refs: [id] });
            if (!model.status.has(id)) await expect(done).rejects.toMatchObject({ code: 'not_found' });
            else await done;
            if (model.inbox.includes(id)) model.archive.unshift(id);
            model.inbox = model.inbox.filter((each) => each !== id);
          } else {
            const done = file.setStatus([id], { to: 'stale' });
            if (!model.inbox.includes(id)) await expect(done).rejects.toMatchObject({ code: 'not_found' });
            else {
              await done;
              model.status.set(id, 'stale');
            }
          }
        }
        expect(file.list().entries.map(({ ref }) => ref)).toEqual(model.inbox);
        const archived = new FlatFile(file.paths.archive).list().entries.map(({ ref }) => ref);
        expect(archived).toEqual(model.archive);
        for (const [id, status] of model.status) expect(file.show(id).fields.get('status')).toBe(status);
        expect(file.fsck().issues).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
