import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Ending, ensurePrivateDirectory, type Loop, messageOf } from '../../base/index.ts';
import { MAIL_LINK_HINT } from '../../client/index.ts';
import type { FleetConnection } from '../../wire/index.ts';
import { FleetLink, type FleetLinkDependencies } from './fleet-link.ts';
import { readMembership } from './membership.ts';

type Dependencies = Omit<FleetLinkDependencies, 'membership' | 'readMembership'>;

/**
 * The agent's place in a fleet: the connection to its server, from the moment it is registered. `rouse fleet register`
 * writes the files of a running session; they are watched, and a change takes effect immediately. Unreadable files are
 * reported in the log, and the gateway works without a server.
 */
export class FleetPlace {
  #deps: Dependencies;
  #root: string;
  #link: FleetLink | undefined;
  #started = false;
  #watcher: fs.FSWatcher | undefined;

  constructor(deps: Dependencies, sessionRoot: string, ending: Ending) {
    this.#deps = deps;
    this.#root = sessionRoot;
    this.#open();
    ending.add(() => this.#link?.leave());
    ending.add(() => Promise.all(this.#loops().map((loop) => loop.stop())).then(() => {}));
    ending.add(() => this.#watcher?.close());
  }

  get view(): FleetConnection | undefined {
    return this.#link?.view;
  }

  hint(): void {
    this.#link?.hint();
  }

  /** From now on heartbeats ask for mail too. Returns false if there is no server that could report it. */
  watchMail(): boolean {
    this.#link?.watchMail();
    return this.#link !== undefined;
  }

  start(): void {
    this.#started = true;
    for (const loop of this.#loops()) loop.start();
    this.#watch();
  }

  #open(): void {
    try {
      const membership = readMembership(this.#root);
      if (!membership) return;
      const again = (): ReturnType<typeof readMembership> => readMembership(this.#root);
      this.#link = new FleetLink({ ...this.#deps, membership, readMembership: again });
    } catch (error) {
      this.#deps.log.error('the fleet files of this session cannot be read', { cause: messageOf(error) });
    }
  }

  #watch(): void {
    const directory = path.join(this.#root, 'fleet');
    try {
      ensurePrivateDirectory(directory);
      this.#watcher = fs.watch(directory, { persistent: false }, (_, name) => {
        if (name === null || name === 'fleet.json') this.#registered();
        if (name === MAIL_LINK_HINT) this.#deps.mailChanged();
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      this.#deps.log.warn('a later registration with a fleet takes effect only at the next attach', {
        cause: messageOf(error),
      });
    }
  }

  #registered(): void {
    if (this.#link) {
      this.#link.registered();
      return;
    }
    this.#open();
    if (this.#started) for (const loop of this.#loops()) loop.start();
    this.#deps.changed();
  }

  #loops(): readonly Loop[] {
    return this.#link?.loops ?? [];
  }
}
