import * as fs from 'node:fs';
import { asRouseError, readIfExists } from '../../../base/index.ts';
import { MAIL_PROTOCOL_VERSION } from '../../../domain/index.ts';
import type { RegistrationStatus } from '../accounts/registration-rows.ts';
import { openMailStore } from '../store.ts';
import { storeWarnings } from '../store-status.ts';
import { explained } from './explain-root.ts';
import { plantedLinks } from './planted-links.ts';
import { isRoot, resolveRoot } from './root.ts';

export interface RootStatus {
  mailbox_root: string;
  exists: boolean;
  bootstrapped: boolean;
  supported: boolean;
  protocol_version: number | string | null;
  /** Null if the index cannot be read. */
  registration_counts: Record<RegistrationStatus, number> | null;
  message_count: number | null;
  set_aside_count: number;
  structural_state_readable: boolean;
  warnings: string[];
  error: string | null;
  hint: string | null;
}

/**
 * Returns the state of a root. Never throws for a missing, foreign or damaged root: that is its state. A root that may
 * not be read is `forbidden`.
 */
export async function rootStatus(root: string): Promise<RootStatus> {
  const { layout, marker } = explained(root, () => {
    const layout = resolveRoot(root);
    return { layout, marker: readIfExists(layout.marker)?.trim().slice(0, 40) };
  });
  const status: RootStatus = {
    mailbox_root: layout.root,
    exists: fs.existsSync(layout.root),
    bootstrapped: isRoot(layout),
    supported: false,
    protocol_version: marker === String(MAIL_PROTOCOL_VERSION) ? MAIL_PROTOCOL_VERSION : (marker ?? null),
    registration_counts: null,
    message_count: null,
    set_aside_count: 0,
    structural_state_readable: false,
    warnings: [],
    error: null,
    hint: null,
  };
  try {
    const store = openMailStore({ root });
    try {
      const all = store.registrations();
      const counts = { active: 0, inactive: 0, stashed: 0 };
      for (const { status: is } of all) counts[is]++;
      status.registration_counts = counts;
      status.message_count = store.db.get<{ n: number }>('SELECT count(*) AS n FROM messages')!.n;
      const { setAsideCount, warnings } = storeWarnings(store);
      return {
        ...status,
        supported: true,
        structural_state_readable: true,
        set_aside_count: setAsideCount,
        warnings: [...warnings, ...plantedLinks(store).map(planted)],
      };
    } finally {
      await store.close();
    }
  } catch (error) {
    const { message, hint, code } = asRouseError(error);
    if (code === 'forbidden') throw error;
    return {
      ...status,
      supported: code !== 'unsupported' && status.bootstrapped,
      error: message,
      hint: hint ?? null,
    };
  }
}

function planted(link: string): string {
  return `${link} is a link where a directory belongs; nothing is written through it; run: rouse mailbox repair`;
}
