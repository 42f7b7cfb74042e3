import { OPERATOR } from '../../../domain/index.ts';
import { inboxDirectory } from '../../../mail/inbox-count.ts';
import { agentsDirectory, type SessionContext } from '../../../session/index.ts';
import type { HeardChanges } from './heard-changes.ts';
import type { HostPicture } from './host-picture.ts';

export interface DirectoryParts {
  session: SessionContext | undefined;
  picture: HostPicture;
  heard: HeardChanges;
  /** Called after each change that was noted. */
  soon: () => void;
}

/** The directories of the host that are worth watching, and what a change in each means. */
export function hostDirectories(on: DirectoryParts): Map<string, (file: string) => void> {
  const { session, picture, heard } = on;
  const wanted = new Map<string, (file: string) => void>();
  if (!session) return wanted;
  const watch = (directory: string, note: (file: string) => void): void => {
    wanted.set(directory, (file) => {
      note(file);
      on.soon();
    });
  };
  watch(agentsDirectory(session.settings.registryDir), () => heard.ofHost());
  watch(operatorInbox(session), () => {
    heard.ofOperator();
    heard.ofDetail(null, 'mail');
  });
  for (const { id, name } of picture.here) {
    const place = picture.roster.known.get(id);
    const paths = place && picture.pathsOf(place);
    if (!paths) continue;
    watch(paths.gateway, (file) => hearGateway(heard, { id, name }, file));
    // What the lane notes while it types is told by the gateway's own files, too.
    watch(paths.run, (file) => (file.startsWith('lane') ? undefined : heard.ofHost()));
    const inbox = inboxDirectory(place.mailbox);
    if (!inbox) continue;
    watch(inbox, () => {
      heard.ofDetail(name, 'mail');
      heard.ofAgent(id);
    });
  }
  return wanted;
}

function operatorInbox({ settings }: SessionContext): string {
  const { address } = OPERATOR;
  return inboxDirectory({ transport: 'filesystem', filesystem_root: settings.mailboxDir, address })!;
}

function hearGateway(heard: HeardChanges, { id, name }: { id: string; name: string }, file: string): void {
  // Whether its ledger has something new is seen by the look: readers touch the file, too.
  heard.ofAgent(id);
  if (file.startsWith('events.jsonl')) {
    heard.ofDetail(name, 'timeline');
    heard.ofDetail(name, 'reminders');
  }
}
