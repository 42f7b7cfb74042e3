import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';
import { type HostNetwork, openNetwork } from './host-network.ts';
import { TypedHost } from './typed-host.ts';

const RECIPE = path.resolve(import.meta.dirname, '../../docs/recipes/twenty-agents-on-three-hosts.md');
const HOSTS = ['north', 'south', 'west'] as const;

/** The blocks of the page in order, with the host on which each is typed. */
function blocks(): { heading: string; host: (typeof HOSTS)[number]; text: string }[] {
  const page = fs.readFileSync(RECIPE, 'utf8');
  return [...page.matchAll(/^## ([^\n]*), on (\w+)\n+```sh\n(.*?)```/gms)].map(([, heading, host, text]) => ({
    heading: heading!,
    host: host as (typeof HOSTS)[number],
    text: text!,
  }));
}

/** Twenty agents take minutes to start on a small machine. */
describe.runIf(FULL)('the recipe for twenty agents on three hosts', () => {
  let network: HostNetwork;
  const hosts = new Map<string, TypedHost>();
  const said = new Map<string, string>();
  beforeAll(() => {
    network = openNetwork(HOSTS.length);
    for (const [n, name] of HOSTS.entries()) hosts.set(name, new TypedHost(name, network.enter(n)));
  });
  afterAll(() => {
    for (const host of hosts.values()) host.close();
    network.close();
  });

  /** The addresses of this network instead of the reader's, and an agent that needs no account. */
  const here = (text: string): string =>
    text
      .replaceAll(/10\.77\.0\.(\d)/g, (_, n: string) => network.address(Number(n) - 1)!)
      .replaceAll('--tool claude', '--tool scripted');

  it('the recipe for twenty agents on three hosts is followed word by word: all twenty are listed and reached from another host', async () => {
    expect(network.address(0), network.kind).toBeDefined();
    const [north, south, west] = HOSTS.map((name) => hosts.get(name)!);
    for (const { heading, host, text } of blocks()) {
      said.set(`${heading}, on ${host}`, await hosts.get(host)!.type(here(text)));
      if (heading === 'The server')
        for (const other of [south!, west!])
          fs.copyFileSync(path.join(north!.home, 'ops.token'), path.join(other.home, 'ops.token'));
    }
    const using = said.get('Using them, on south')!;
    const names = HOSTS.flatMap((name, n) =>
      Array.from({ length: n === 0 ? 6 : 7 }, (_, i) => `${name}-${i + 1}`),
    );
    expect(names.filter((name) => !using.includes(name))).toEqual([]);
    for (const words of ['submitted', 'the build is red']) expect(using).toContain(words);
    expect(fs.statSync(path.join(north!.home, 'fleet.backup')).size).toBeGreaterThan(0);
  }, 1_200_000);
});
