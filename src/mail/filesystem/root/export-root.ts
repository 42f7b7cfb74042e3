import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  conflict,
  ensurePrivateDirectory,
  invalid,
  messageOf,
  randomHex,
  utcSeconds,
  writeJsonAtomic,
} from '../../../base/index.ts';
import { MAIL_PROTOCOL_VERSION, parseAddress, type SymlinkMode } from '../../../domain/index.ts';
import { ensureBoxes } from '../accounts/mailbox-folder.ts';
import { listRegistrations, type RegistrationRow } from '../accounts/registration-rows.ts';
import type { OwnMessage } from '../flags.ts';
import { canonicalPath } from './layout.ts';
import type { OpenRoot } from './open-root.ts';

export interface ExportOptions {
  output_dir: string;
  all_accounts?: boolean;
  addresses?: string[];
  /** Copies in every box, or links to the exported messages. */
  symlink_mode?: SymlinkMode;
}

interface Projection extends Omit<OwnMessage, 'seq'> {
  registration_id: string;
}

export interface ExportManifest {
  schema_version: 1;
  source_mailbox_root: string;
  source_protocol_version: number;
  exported_at_utc: string;
  selection: { all_accounts: boolean; addresses: string[] };
  symlink_mode: SymlinkMode;
  accounts: Record<string, unknown>[];
  messages: { message_id: string; path: string }[];
  projections: Record<string, unknown>[];
  attachments: Record<string, unknown>[];
  copied_artifacts: string[];
  materialized_artifacts: string[];
  preserved_symlinks: string[];
  skipped_artifacts: { path: string; reason: string }[];
  blocked_artifacts: { path: string; reason: string }[];
}

/** Copies accounts with their mail into a new, self-contained directory. It appears whole or not at all. */
export async function exportRoot(root: OpenRoot, options: ExportOptions): Promise<ExportManifest> {
  const output = path.resolve(options.output_dir);
  const selected = select(root, options);
  if (fs.existsSync(output)) {
    throw conflict(`${output} already exists`, { hint: 'choose a directory that does not exist yet' });
  }
  await root.published();
  const building = path.join(
    path.dirname(output),
    `.${path.basename(output)}.tmp-${process.pid}-${randomHex(4)}`,
  );
  try {
    ensurePrivateDirectory(building);
    const manifest = new Exporter(root, building, options).run(selected);
    writeJsonAtomic(path.join(building, 'manifest.json'), manifest);
    fs.renameSync(building, output);
    return manifest;
  } catch (error) {
    fs.rmSync(building, { recursive: true, force: true });
    throw error;
  }
}

function select(
  root: OpenRoot,
  { all_accounts: all = false, addresses = [] }: ExportOptions,
): RegistrationRow[] {
  if (all === addresses.length > 0)
    throw invalid('export needs either --all-accounts or at least one --address');
  const wanted = addresses.map((address) => parseAddress(address));
  const twice = wanted.find((address, i) => wanted.indexOf(address) !== i);
  if (twice !== undefined) throw invalid(`address ${twice} is named twice`);
  const registrations = listRegistrations(root.db);
  for (const address of wanted) {
    if (!registrations.some((each) => each.address === address)) throw root.unknownMailbox(address);
  }
  return all ? registrations : registrations.filter(({ address }) => wanted.includes(address));
}

class Exporter {
  #root: OpenRoot;
  #to: string;
  #manifest: ExportManifest;
  #done = new Set<string>();

  constructor(root: OpenRoot, to: string, options: ExportOptions) {
    this.#root = root;
    this.#to = to;
    this.#manifest = {
      schema_version: 1,
      source_mailbox_root: root.layout.root,
      source_protocol_version: MAIL_PROTOCOL_VERSION,
      exported_at_utc: utcSeconds(root.clock.now()),
      selection: { all_accounts: options.all_accounts ?? false, addresses: options.addresses ?? [] },
      symlink_mode: options.symlink_mode ?? 'materialize',
      accounts: [],
      messages: [],
      projections: [],
      attachments: [],
      copied_artifacts: [],
      materialized_artifacts: [],
      preserved_symlinks: [],
      skipped_artifacts: [],
      blocked_artifacts: [],
    };
  }

  run(selected: readonly RegistrationRow[]): ExportManifest {
    for (const registration of selected) this.#account(registration);
    return this.#manifest;
  }

  #account(registration: RegistrationRow): void {
    const { number: _number, ...account } = registration;
    const folder = path.join('accounts', account.address, account.registration_id);
    ensureBoxes(path.join(this.#to, folder));
    const states = this.#root.db.iterate<Projection & { envelope_json: string }>(
      `SELECT ? AS registration_id, m.message_id, m.created_at_utc, s.box, s.is_read, s.is_answered, s.is_starred,
         m.envelope_json
       FROM mail_state s JOIN messages m ON m.seq = s.seq WHERE s.registration = ? AND s.is_deleted = 0 ORDER BY s.seq`,
      [account.registration_id, registration.number],
    );
    const flags: Record<string, unknown>[] = [];
    for (const { envelope_json, created_at_utc, ...state } of states) {
      const file = canonicalPath(state.message_id, created_at_utc);
      if (!this.#message(state.message_id, file)) continue;
      this.#attachments(state.message_id, envelope_json);
      this.#project(path.join(folder, state.box, `${state.message_id}.md`), file);
      flags.push({ ...state });
      this.#manifest.projections.push({
        ...state,
        path: path.join(folder, state.box, `${state.message_id}.md`),
      });
    }
    this.#manifest.accounts.push({ ...account, path: folder });
    writeJsonAtomic(
      path.join(this.#to, folder, 'account.json'),
      { ...account, messages: flags },
      { durable: false },
    );
  }

  /** Returns false, and records it, if the file is missing or could not be copied. */
  #message(messageId: string, file: string): boolean {
    if (this.#done.has(file)) return true;
    if (!this.#copy(file)) return false;
    this.#manifest.messages.push({ message_id: messageId, path: file });
    return true;
  }

  #attachments(messageId: string, envelopeJson: string): void {
    if (this.#done.has(`attachments of ${messageId}`)) return;
    this.#done.add(`attachments of ${messageId}`);
    const { attachments } = JSON.parse(envelopeJson) as { attachments: { kind: string; path: string }[] };
    for (const attachment of attachments) {
      this.#manifest.attachments.push({ message_id: messageId, ...attachment });
      if (attachment.kind === 'managed_copy') this.#copy(attachment.path);
      else
        this.#manifest.skipped_artifacts.push({
          path: attachment.path,
          reason: 'only referred to; not copied',
        });
    }
  }

  #copy(relative: string): boolean {
    const from = path.join(this.#root.layout.root, relative);
    const to = path.join(this.#to, relative);
    try {
      ensurePrivateDirectory(path.dirname(to));
      if (!fs.lstatSync(from).isFile()) throw invalid('not a regular file');
      fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
    } catch (error) {
      this.#manifest.blocked_artifacts.push({ path: relative, reason: messageOf(error) });
      return false;
    }
    this.#done.add(relative);
    this.#manifest.copied_artifacts.push(relative);
    return true;
  }

  #project(at: string, file: string): void {
    const to = path.join(this.#to, at);
    ensurePrivateDirectory(path.dirname(to));
    if (this.#manifest.symlink_mode === 'preserve') {
      fs.symlinkSync(path.relative(path.dirname(to), path.join(this.#to, file)), to);
      this.#manifest.preserved_symlinks.push(at);
      return;
    }
    fs.copyFileSync(path.join(this.#to, file), to);
    this.#manifest.materialized_artifacts.push(at);
  }
}
