import { expect, it } from 'vitest';
import type { SessionContext } from '../../../session/index.ts';
import { hostDirectories } from './host-directories.ts';
import type { HostPicture } from './host-picture.ts';
import { ReceivedChanges } from './received-changes.ts';

const session = { settings: { registryDir: '/registry', mailboxDir: '/mail' } } as SessionContext;
const place = { facts: undefined, mailbox: undefined };
const picture = {
  here: [{ id: 'id-ana', name: 'ana' }],
  roster: { known: new Map([['id-ana', place]]) },
  pathsOf: () => ({ gateway: '/ana/gateway', run: '/ana/gateway/run' }),
} as unknown as HostPicture;

it('notes of the lane while it types cause no look at the whole host; a gateway that comes or goes does', () => {
  const received = new ReceivedChanges();
  received.takeUnseen();
  const watched = hostDirectories({ session, picture, received, soon: () => {} });
  const touch = (directory: string, file: string) => {
    watched.get(directory)!(file);
    return received.takeUnseen();
  };
  for (const file of ['lane-attempt.json', 'lane.lock'])
    expect(touch('/ana/gateway/run', file), file).toMatchObject({ host: false, all: false });
  expect(touch('/ana/gateway/run', 'current-instance.json').host).toBe(true);
  expect(touch('/ana/gateway', 'glance.json')).toMatchObject({ host: false, agents: new Set(['id-ana']) });
});
