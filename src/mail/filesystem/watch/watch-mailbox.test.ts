import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Emitter, Ending, runAsTenant, type Tenant } from '../../../base/index.ts';
import { initMailStore } from '../index.ts';
import { signalChange } from './signal.ts';
import { watchMailbox } from './watch-mailbox.ts';

const ending = new Ending();
afterEach(() => ending.run());

/** Three mailboxes of one root, each watched by its own gateway. */
function watchedRoot() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-watch-'));
  ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
  const store = initMailStore({ root });
  ending.add(() => store.close());
  const changed = new Emitter<string>();
  const errors: string[] = [];
  const watch = (name: string, act: () => void = () => {}): void => {
    const tenant: Tenant = { own: new Map(), onError: (error) => errors.push(`${name}: ${String(error)}`) };
    const stop = runAsTenant(tenant, () =>
      watchMailbox(store.layout, name, () => {
        changed.emit(name);
        act();
      }),
    );
    ending.add(stop);
  };
  const signals = store.layout.signals;
  return { layout: store.layout, signals, changed, errors, watch };
}

/** How many inotify watches this process has on this directory or its files. */
function watchesOn(place: string): number {
  const inodes = [place, ...fs.readdirSync(place).map((name) => path.join(place, name))].map((each) =>
    fs.statSync(each).ino.toString(16),
  );
  const lines = execFileSync('sh', [
    '-c',
    `cat /proc/${process.pid}/fdinfo/* 2>/dev/null || true`,
  ]).toString();
  return inodes.filter((inode) => lines.includes(`ino:${inode} `)).length;
}

it('many mailboxes of one root are watched by one watcher, and each receives only its own changes', async () => {
  const { layout, signals, changed, watch } = watchedRoot();
  for (const name of ['a', 'b', 'c']) watch(name);
  expect(watchesOn(signals)).toBe(1);
  for (const each of ['b', 'c', 'a']) {
    const next = changed.next((name) => name === each);
    signalChange(layout, each, new Date());
    await next;
  }
  await ending.run();
  expect(fs.existsSync(signals)).toBe(false);
});

it('an error of one watcher is its own, and the others are notified', async () => {
  const { layout, changed, errors, watch } = watchedRoot();
  watch('a', () => {
    throw new Error('of a');
  });
  watch('b');
  const next = changed.next((name) => name === 'b');
  signalChange(layout, 'a', new Date());
  await expect.poll(() => errors[0]).toBe('a: Error: of a');
  signalChange(layout, 'b', new Date());
  await next;
  expect(errors.every((words) => words.startsWith('a: '))).toBe(true);
});

it('a replaced signal directory is watched again and counts as a change of every mailbox', async () => {
  const { layout, signals, changed, watch } = watchedRoot();
  for (const name of ['a', 'b']) watch(name);
  const both = Promise.all(['a', 'b'].map((each) => changed.next((name) => name === each)));
  fs.renameSync(signals, `${signals}-away`);
  await both;
  await expect.poll(() => fs.existsSync(path.join(signals, 'a'))).toBe(true);
  fs.rmSync(`${signals}-away`, { recursive: true });
  const next = changed.next((name) => name === 'b');
  signalChange(layout, 'b', new Date(Date.now() + 1000));
  await next;
});
