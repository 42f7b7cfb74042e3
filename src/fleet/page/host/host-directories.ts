import { OPERATOR } from '../../../domain/index.ts';
import { inboxDirectory } from '../../../mail/inbox-count.ts';
import { agentsDirectory, type SessionContext } from '../../../session/index.ts';
import type { HostPicture } from './host-picture.ts';
import type { ReceivedChanges } from './received-changes.ts';

export interface DirectoryParts {
  session: SessionContext | undefined;
  picture: HostPicture;
  received: ReceivedChanges;
  /** Called after each change that was noted. */
  soon: () => void;
}

/** Returns the directories of the host to watch, and what a change in each means. */
export function hostDirectories(on: DirectoryParts): Map<string, (file: string) => void> {
  const { session, picture, received } = on;
  const wanted = new Map<string, (file: string) => void>();
  if (!session) return wanted;
  const watch = (directory: string, note: (file: string) => void): void => {
    wanted.set(directory, (file) => {
      note(file);
      on.soon();
    });
  };
  watch(agentsDirectory(session.settings.registryDir), () => received.ofHost());
  watch(operatorInbox(session), () => {
    received.ofOperator();
    received.ofDetail(null, 'mail');
  });
  for (const { id, name } of picture.here) {
    const place = picture.roster.known.get(id);
    const paths = place && picture.pathsOf(place);
    if (!paths) continue;
    watch(paths.gateway, (file) => noteGatewayChange(received, { id, name }, file));
    // What the lane notes while it types is in the gateway's own files too.
    watch(paths.run, (file) => (file.startsWith('lane') ? undefined : received.ofHost()));
    const inbox = inboxDirectory(place.mailbox);
    if (!inbox) continue;
    watch(inbox, () => {
      received.ofDetail(name, 'mail');
      received.ofAgent(id);
    });
  }
  return wanted;
}

function operatorInbox({ settings }: SessionContext): string {
  const { address } = OPERATOR;
  return inboxDirectory({ transport: 'filesystem', filesystem_root: settings.mailboxDir, address })!;
}

function noteGatewayChange(
  received: ReceivedChanges,
  { id, name }: { id: string; name: string },
  file: string,
): void {
  // The look finds out whether the ledger has something new: readers touch the file too.
  received.ofAgent(id);
  if (file.startsWith('events.jsonl')) {
    received.ofDetail(name, 'timeline');
    received.ofDetail(name, 'reminders');
  }
}
