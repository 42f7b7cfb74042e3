import * as fs from 'node:fs';
import * as path from 'node:path';
import { Emitter, runAsTenant, runOutsideTenants, type Tenant } from '../../../base/index.ts';
import type { Layout } from '../root/layout.ts';
import { ensureSignal } from './signal.ts';

interface Listener {
  tenant: Tenant;
  address: string;
  changed: Emitter<void>;
}

const roots = new Map<string, RootWatch>();

/**
 * Watches one mailbox in a process that may watch many of the same root. They share one watcher, but not their errors.
 */
export function watchTogether(
  layout: Layout,
  { tenant, address, onChange }: { tenant: Tenant; address: string; onChange: () => void },
): () => void {
  const root = roots.get(layout.signals) ?? new RootWatch(layout, () => roots.delete(layout.signals));
  roots.set(layout.signals, root);
  const changed = new Emitter<void>();
  changed.on(onChange);
  return root.add({ tenant, address, changed });
}

/**
 * Watches the directory of signal files. If it is removed or replaced, that counts as a change of every mailbox, and it
 * is watched again.
 */
class RootWatch {
  readonly #layout: Layout;
  readonly #listeners = new Set<Listener>();
  readonly #onEnd: () => void;
  #watcher: fs.FSWatcher | undefined;

  constructor(layout: Layout, onEnd: () => void) {
    this.#layout = layout;
    this.#onEnd = onEnd;
  }

  add(listener: Listener): () => void {
    ensureSignal(this.#layout, listener.address);
    try {
      this.#watcher ??= this.#watch();
    } catch (error) {
      this.#endIfUnused();
      throw error;
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#endIfUnused();
    };
  }

  #watch(): fs.FSWatcher {
    const own = path.basename(this.#layout.signals);
    return runOutsideTenants(() => {
      const watcher = fs.watch(this.#layout.signals, (event, name) => {
        if (watcher !== this.#watcher) return;
        if (name === null || (event === 'rename' && name === own)) this.#again();
        else this.#notify(name, event === 'rename');
      });
      watcher.on('error', () => this.#again());
      return watcher;
    });
  }

  #notify(name: string, gone: boolean): void {
    for (const { tenant, address, changed } of [...this.#listeners]) {
      if (address !== name) continue;
      if (gone) ensureSignal(this.#layout, address);
      runAsTenant(tenant, () => changed.emit());
    }
  }

  #again(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    for (const { address } of this.#listeners) ensureSignal(this.#layout, address);
    try {
      this.#watcher = this.#watch();
    } catch {
      // Its root is gone too: this change is the last one reported.
    }
    for (const { tenant, changed } of [...this.#listeners]) runAsTenant(tenant, () => changed.emit());
  }

  #endIfUnused(): void {
    if (this.#listeners.size > 0) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#onEnd();
  }
}
