import * as z from 'zod';
import { conflict, unsupported } from '../../base/index.ts';
import { strict } from '../../domain/schemas.ts';
import { type MailTransport, OWNER } from '../transport.ts';

const STALWART = 'stalwart';

const binding = strict({
  transport: z.literal(STALWART),
  ...OWNER,
  jmap_url: z.string(),
  management_url: z.string().nullish(),
  login_identity: z.string(),
  credential_ref: z.string(),
  bindings_version: z.string(),
});

const refuse = async (): Promise<never> => {
  throw unsupported(`mail kept by ${STALWART} cannot be opened by a gateway`);
};

/** A separate mail server. Manifests of other programs bind such mailboxes; Rouse reads the binding and opens none. */
export const stalwart: MailTransport<z.infer<typeof binding>> = {
  name: STALWART,
  binding,
  placeField: 'jmap_url',
  keeper: async () => ({
    open: refuse,
    openAt: refuse,
    bind: refuse,
    async unbind({ address }) {
      throw conflict(`${address} is kept by ${STALWART}, and is unregistered there`);
    },
    isActive: async () => true,
    describe() {
      throw unsupported(`mail kept by ${STALWART} is not served yet`);
    },
  }),
};
