/** What to do if an address is taken: refuse, take it over, or put the old mailbox aside. */
export const REGISTER_MODES = ['safe', 'force', 'stash'] as const;

/** `deactivate` keeps everything and stops delivery; `purge` also removes the mailbox. Messages stay in both cases. */
export const UNREGISTER_MODES = ['deactivate', 'purge'] as const;

/** Whether the boxes of an export hold copies, or links to the exported messages. */
export const SYMLINK_MODES = ['materialize', 'preserve'] as const;

export type RegisterMode = (typeof REGISTER_MODES)[number];
export type UnregisterMode = (typeof UNREGISTER_MODES)[number];
export type SymlinkMode = (typeof SYMLINK_MODES)[number];
