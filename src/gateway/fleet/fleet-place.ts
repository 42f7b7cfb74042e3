import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Ending, ensurePrivateDirectory, type Loop, messageOf } from '../../base/index.ts';
import { MAIL_LINK_HINT } from '../../client/index.ts';
import type { FleetConnection } from '../../wire/index.ts';
import { FleetLink, type FleetLinkDependencies } from './fleet-link.ts';
import { readMembership } from './membership.ts';

type Dependencies = Omit<FleetLinkDependencies, 'membership' | 'readMembership'>;

/**
 * The agent's place in a fleet: the line to its server, from the moment it is registered with one. `rouse fleet register`
 * writes the files of a session that runs; whoever watches them goes on with what they say. Files nobody can read are told
 * in the log: the gateway works without.
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

  /** From now on beats ask for mail, too. False: there is no server that could tell. */
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
      this.#deps.log.error('the fleet server of this agent is not known', { cause: messageOf(error) });
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
      this.#deps.log.warn('a later registration with a fleet is seen only at the next attach', {
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
