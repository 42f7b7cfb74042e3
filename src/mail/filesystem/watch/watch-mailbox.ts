import * as fs from 'node:fs';
import { currentTenant, messageOf, unavailable } from '../../../base/index.ts';
import type { Layout } from '../root/layout.ts';
import { ensureSignal, signalFile } from './signal.ts';
import { watchTogether } from './watch-root.ts';

/** Calls back after a change of this mailbox in any process. */
export function watchMailbox(layout: Layout, address: string, onChange: () => void): () => void {
  const tenant = currentTenant();
  try {
    // A process with one mailbox should not wake for all the others of its root.
    return tenant
      ? watchTogether(layout, { tenant, address, onChange })
      : watchAlone(layout, address, onChange);
  } catch (error) {
    throw unavailable(`mailbox ${address} cannot be watched: ${messageOf(error)}`, {
      hint: 'raise fs.inotify.max_user_instances or max_user_watches, or check the mailbox from time to time',
      cause: error,
    });
  }
}

/**
 * Watches the one signal file of this mailbox. If it is removed or replaced, that counts as a change, and it is made
 * and watched again. If its root is gone too, that change is the last one reported.
 */
function watchAlone(layout: Layout, address: string, onChange: () => void): () => void {
  const file = signalFile(layout, address);
  let watcher: fs.FSWatcher | undefined;
  let stopped = false;
  const arm = (): void => {
    watcher?.close();
    if (stopped) return;
    ensureSignal(layout, address);
    watcher = fs.watch(file, (event) => {
      if (stopped) return;
      if (event === 'rename') rearm();
      onChange();
    });
    watcher.on('error', () => watcher?.close());
  };
  const rearm = (): void => {
    try {
      arm();
    } catch {
      watcher?.close();
    }
  };
  arm();
  return () => {
    stopped = true;
    watcher?.close();
  };
}
