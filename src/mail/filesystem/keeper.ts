import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import { agentAddress } from '../../domain/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import type { MailKeeper, OpenedMailbox } from '../transport.ts';
import type { Registration } from './accounts/registration-rows.ts';
import { FILESYSTEM, type FilesystemBinding } from './binding.ts';
import { STAND_IN } from './links/stand-ins.ts';
import { initMailStore, type MailStore, openMailStore } from './store.ts';

export const filesystemKeeper: MailKeeper<FilesystemBinding> = {
  open: async ({ filesystem_root: root, address }, { clock }) =>
    openIn(openMailStore({ root, clock }), () => address),
  openAt: async (root, address) =>
    openIn(openMailStore({ root }), (store) => address ?? onlyAddress(store.registrations())),

  bind({ principal_id, mode, role, ...request }, { clock }) {
    const address = request.address ?? agentAddress(request.agentName);
    return inStore(initMailStore({ root: request.place, clock }), (store) => {
      const result = store.register({
        address,
        owner_principal_id: principal_id,
        mode,
        display_name: request.agentName,
        manifest_path_hint: request.manifestPath,
        ...(role !== undefined && { role }),
      });
      const root = store.layout.root;
      return {
        reused: result.reused_existing === true,
        binding: {
          transport: FILESYSTEM,
          principal_id,
          address,
          filesystem_root: root,
          bindings_version: request.bindings_version,
          mailbox_kind: 'in_root',
          mailbox_path: path.join(root, 'mailboxes', address),
        },
      };
    });
  },

  unbind: ({ filesystem_root: root, address }, mode, { clock }) =>
    inStore(openMailStore({ root, clock }), (store) => ({ ...store.unregister(address, mode) })),

  /** The registration is still active and still in the recorded place. */
  isActive: ({ filesystem_root: root, address, mailbox_path }, { clock }) =>
    inStore(openMailStore({ root, clock }), (store) =>
      store
        .registrations(address)
        .some(
          (each) =>
            each.status === 'active' && path.resolve(root, each.mailbox_path) === path.resolve(mailbox_path),
        ),
    ),

  describe: ({ filesystem_root: root, mailbox_kind, mailbox_path }) => ({
    root,
    mailbox_kind,
    mailbox_path,
    inbox_path: path.join(mailbox_path, 'inbox'),
    sqlite_path: path.join(root, 'index.sqlite'),
    local_sqlite_path: path.join(mailbox_path, 'mailbox.sqlite'),
  }),
};

export async function openIn(
  store: MailStore,
  address: (store: MailStore) => string,
): Promise<OpenedMailbox & { mailbox: ReturnType<MailStore['mailbox']> }> {
  try {
    const mailbox = store.mailbox(address(store));
    return {
      mailbox,
      isReplaced: () => store.isReplaced,
      async close() {
        await mailbox.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function inStore<T>(store: MailStore, work: (store: MailStore) => T): Promise<T> {
  try {
    return work(store);
  } finally {
    await store.close();
  }
}

/** The only mailbox of a store besides the operator's; otherwise the caller must choose. */
function onlyAddress(registrations: readonly Registration[]): string {
  const own = registrations.filter(
    ({ status, role }) => status === 'active' && role !== 'system_operator' && role !== STAND_IN,
  );
  if (own.length === 1) return own[0]!.address;
  const some = own.slice(0, 8).map(({ address }) => address);
  throw invalid(
    `--address is needed: the store has ${own.length === 0 ? 'no mailbox' : `${own.length} mailboxes`}`,
    {
      hint:
        own.length === 0
          ? `register one: rouse mailbox register --address NAME@${LOCAL_DOMAIN}`
          : `one of ${some.join(', ')}${own.length > some.length ? ', …' : ''}`,
    },
  );
}
