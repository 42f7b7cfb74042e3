import { isRouseError } from '../../base/index.ts';
import { agentPrincipal, localPart, REGISTER_MODES, UNREGISTER_MODES } from '../../domain/index.ts';
import type { MailStore, RegisterRequest } from '../../mail/index.ts';
import { LOCAL_DOMAIN, NAME_PREFIX } from '../../wire/houmao/index.ts';
import { command, type Flag, type InputOf } from '../command.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { ADDRESS, about, flag, text, withStore, YES } from './root.ts';

const REGISTER_FLAGS = [
  ADDRESS,
  { name: 'principal-id', value: 'ID', summary: `owner (default: ${NAME_PREFIX}-<name before the @>)` },
  {
    name: 'mode',
    value: 'MODE',
    summary: 'what to do if the address is taken',
    choices: REGISTER_MODES,
    default: 'safe',
  },
  {
    name: 'mailbox-path',
    value: 'DIR',
    summary: 'keep the boxes in this private directory outside the store',
  },
  { name: 'display-name', value: 'NAME', summary: 'display name used in mail' },
  { name: 'role', value: 'ROLE', summary: 'role of the owner' },
  YES,
  ROOT_FLAG,
] as const satisfies readonly Flag[];

export const register = command({
  name: 'register',
  summary: 'register an address',
  description:
    'safe leaves a taken address alone; force replaces the mailbox that has it; stash sets that ' +
    'mailbox aside. With --yes, safe becomes force if the address is taken.',
  examples: [
    `rouse mailbox register --address ana@${LOCAL_DOMAIN}`,
    `rouse mailbox register --address ana@${LOCAL_DOMAIN} --principal-id ${NAME_PREFIX}-ana --mode stash`,
  ],
  flags: REGISTER_FLAGS,
  run: (input) =>
    withStore(input, (store) => {
      const request = registerRequest(input);
      const result = registerOr(store, request, flag(input, 'yes'));
      const how = result.reused_existing ? 'was already registered' : 'registered';
      const aside = result.stashed_mailbox_path
        ? `\nthe old mailbox is kept as ${result.stashed_mailbox_path}`
        : '';
      const plain = `${result.address} ${how} for ${result.owner_principal_id}${aside}`;
      return { data: about(input, result), plain };
    }),
});

function registerRequest(input: InputOf<typeof REGISTER_FLAGS>): RegisterRequest {
  const address = text(input, 'address')!;
  const directory = text(input, 'mailboxPath');
  const display_name = text(input, 'displayName');
  const role = text(input, 'role');
  return {
    mode: input.flags.mode,
    address,
    owner_principal_id: text(input, 'principalId') ?? agentPrincipal(localPart(address)),
    ...(directory === undefined ? {} : { mailbox_kind: 'symlink', mailbox_path: directory }),
    ...(display_name === undefined ? {} : { display_name }),
    ...(role === undefined ? {} : { role }),
  };
}

function registerOr(
  store: MailStore,
  request: RegisterRequest,
  yes: boolean,
): ReturnType<MailStore['register']> {
  try {
    return store.register(request);
  } catch (error) {
    if (!yes || request.mode !== 'safe' || !isRouseError(error) || error.code !== 'conflict') throw error;
    return store.register({ ...request, mode: 'force' });
  }
}

export const unregister = command({
  name: 'unregister',
  summary: 'deactivate an address, or delete its mailbox',
  examples: [`rouse mailbox unregister --address ana@${LOCAL_DOMAIN} --mode deactivate`],
  flags: [
    ADDRESS,
    {
      name: 'mode',
      value: 'MODE',
      summary: 'deactivate keeps everything, purge forgets the mailbox',
      choices: UNREGISTER_MODES,
      default: 'deactivate',
    },
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, (store) => {
      const result = store.unregister(text(input, 'address')!, input.flags.mode);
      return { data: about(input, result), plain: `${result.address} is ${result.resulting_status}` };
    }),
});
