import { readObjectIfAny, writeJsonAtomic } from '../../base/index.ts';

/** notices/place.json: where the home keeps what the host looks at for notices. The host has no configuration of its own. */
export interface NoticePlace {
  mailboxDir: string;
  registryDir: string;
  tmuxSocket: string | undefined;
}

/** Undefined if it is missing or damaged; the next `rouse notify` writes it again. */
export function readNoticePlace(file: string): NoticePlace | undefined {
  const { mailbox_root, registry_dir, tmux_socket } = readObjectIfAny(file) ?? {};
  if (typeof mailbox_root !== 'string' || typeof registry_dir !== 'string') return undefined;
  return {
    mailboxDir: mailbox_root,
    registryDir: registry_dir,
    tmuxSocket: typeof tmux_socket === 'string' ? tmux_socket : undefined,
  };
}

export function writeNoticePlace(file: string, place: NoticePlace): void {
  writeJsonAtomic(file, {
    schema_version: 1,
    mailbox_root: place.mailboxDir,
    registry_dir: place.registryDir,
    tmux_socket: place.tmuxSocket ?? null,
  });
}
