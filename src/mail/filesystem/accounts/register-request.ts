import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, forbidden, invalid, requireOneLine } from '../../../base/index.ts';
import { isReservedAddress, OPERATOR, parseAddress, type RegisterMode } from '../../../domain/index.ts';
import { NAME_PREFIX } from '../../../wire/houmao/index.ts';
import type { Layout } from '../root/layout.ts';
import type { MailboxKind, Registration } from './registration-rows.ts';

export interface RegisterRequest {
  mode?: RegisterMode;
  address: string;
  owner_principal_id: string;
  mailbox_kind?: MailboxKind;
  /** For a symlink mailbox: the private directory, outside the root. */
  mailbox_path?: string;
  display_name?: string;
  manifest_path_hint?: string;
  role?: string;
  /** Only the store itself registers the operator. */
  system?: boolean;
}

/** A checked registration request. */
export type Wanted = Omit<Registration, 'registration_id' | 'created_at_utc' | 'deactivated_at_utc'>;

/** Returns the request as it would be recorded; throws `invalid` or `forbidden` if it may not be. */
export function checkRegisterRequest(layout: Layout, request: RegisterRequest): Wanted {
  const address = parseAddress(request.address);
  const isOperator = request.system === true && address === OPERATOR.address;
  if (isReservedAddress(address) && !isOperator) {
    throw forbidden(`address ${address} is reserved for the system`, {
      hint: `choose a name that does not begin with ${NAME_PREFIX}-`,
    });
  }
  const line = (text: string | undefined, field: string): string | null => {
    if (text === undefined) return null;
    const trimmed = requireOneLine(text, field).trim();
    if (trimmed === '') throw invalid(`${field} must not be blank`);
    if (trimmed.length > 4096) throw invalid(`${field} is too long`);
    return trimmed;
  };
  const kind = request.mailbox_kind ?? 'in_root';
  const entry = `mailboxes/${address}`;
  return {
    address,
    owner_principal_id: line(request.owner_principal_id, 'principal_id')!,
    status: 'active',
    mailbox_kind: kind,
    mailbox_path: kind === 'in_root' ? entry : privatePath(layout, request.mailbox_path),
    mailbox_entry_path: entry,
    display_name: line(request.display_name, 'display_name'),
    manifest_path_hint: line(request.manifest_path_hint, 'manifest_path_hint'),
    role: line(request.role, 'role'),
    replaced_by_registration_id: null,
  };
}

/** A private mailbox directory must be absolute, outside the root, and not an ancestor of it. */
function privatePath(layout: Layout, typed: string | undefined): string {
  if (typed === undefined || !path.isAbsolute(typed)) {
    throw invalid('mailbox_path must be an absolute path for a symlink mailbox');
  }
  requireOneLine(typed, 'mailbox_path');
  const real = realPath(path.normalize(typed));
  const inside = (outer: string, inner: string): boolean =>
    inner === outer || inner.startsWith(`${outer}${path.sep}`);
  if (inside(layout.root, real) || inside(real, layout.root)) {
    throw invalid(`mailbox_path ${typed} must be outside the mailbox root ${layout.root}`);
  }
  const stat = fs.statSync(real, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw invalid(`mailbox_path ${typed} is not a directory`);
  return real;
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || path.dirname(file) === file) throw error;
    return path.join(realPath(path.dirname(file)), path.basename(file));
  }
}
