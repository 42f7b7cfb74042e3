import * as path from 'node:path';
import * as z from 'zod';
import { agentAddress } from '../../../src/domain/index.ts';
import { absolutePath, strict } from '../../../src/domain/schemas.ts';
import { type MailTransport, type OpenedMailbox, OWNER } from '../../../src/mail/transport.ts';
import { MemoryMail } from '../../support/memory-mail/memory-mail.ts';

/** The mail of each place, as long as this process lives. */
const places = new Map<string, MemoryMail>();

function mailAt(place: string): MemoryMail {
  const mail = places.get(place) ?? new MemoryMail();
  places.set(place, mail);
  return mail;
}

function open(place: string, address: string): OpenedMailbox {
  const mailbox = mailAt(place).mailbox(address);
  return { mailbox, close: () => mailbox.close() };
}

/** The name that its mailboxes report. */
const TOY = 'memory';

const binding = strict({
  transport: z.literal(TOY),
  ...OWNER,
  toy_place: absolutePath,
  toy_secret: z.string(),
  bindings_version: z.string(),
});

/** A transport in one file: mail in memory, with a place named by a path that ends in .toy. */
export const toy: MailTransport<z.infer<typeof binding>> = {
  name: TOY,
  binding,
  unpublished: ['toy_secret'],
  placeField: 'toy_place',
  isAt: (place) => place.endsWith('.toy'),
  carriedBy: 'a toy train',
  keeper: async () => ({
    open: async ({ toy_place, address }) => open(toy_place, address),
    openAt: async (place, address) => open(place, address ?? [...mailAt(place).principals.keys()].at(-1)!),
    async bind({ place, agentName, principal_id, bindings_version, ...request }) {
      const address = request.address ?? agentAddress(agentName);
      const reused = mailAt(place).principals.has(address);
      mailAt(place).register(address, principal_id);
      const own = { toy_place: path.resolve(place), toy_secret: 'not shown' };
      return { reused, binding: { transport: TOY, principal_id, address, ...own, bindings_version } };
    },
    async unbind({ toy_place, address }, mode) {
      mailAt(toy_place).principals.delete(address);
      return { removed: mode };
    },
    isActive: async ({ toy_place, address }) => mailAt(toy_place).principals.has(address),
    describe: ({ toy_place }) => ({ place: toy_place }),
  }),
};
