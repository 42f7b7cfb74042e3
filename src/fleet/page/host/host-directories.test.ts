import { expect, it } from 'vitest';
import type { SessionContext } from '../../../session/index.ts';
import { HeardChanges } from './heard-changes.ts';
import { hostDirectories } from './host-directories.ts';
import type { HostPicture } from './host-picture.ts';

const session = { settings: { registryDir: '/registry', mailboxDir: '/mail' } } as SessionContext;
const place = { facts: undefined, mailbox: undefined };
const picture = {
  here: [{ id: 'id-ana', name: 'ana' }],
  roster: { known: new Map([['id-ana', place]]) },
  pathsOf: () => ({ gateway: '/ana/gateway', run: '/ana/gateway/run' }),
} as unknown as HostPicture;

it('what the lane notes while it types makes nobody look at the whole host, a gateway that comes or goes does', () => {
  const heard = new HeardChanges();
  heard.takeUnseen();
  const watched = hostDirectories({ session, picture, heard, soon: () => {} });
  const touch = (directory: string, file: string) => {
    watched.get(directory)!(file);
    return heard.takeUnseen();
  };
  for (const file of ['lane-attempt.json', 'lane.lock'])
    expect(touch('/ana/gateway/run', file), file).toMatchObject({ host: false, all: false });
  expect(touch('/ana/gateway/run', 'current-instance.json').host).toBe(true);
  expect(touch('/ana/gateway', 'glance.json')).toMatchObject({ host: false, agents: new Set(['id-ana']) });
});
