import { notFound } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import { receiptsOf, type SessionContext } from '../../../session/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { PageDoor } from '../door/page-door.ts';

interface ReceiptHandlerParts {
  door: PageDoor;
  session: SessionContext | undefined;
}

/** How far a message is with each recipient, for everyone with a session. */
export function receiptHandler({
  door,
  session,
}: ReceiptHandlerParts): Handlers<Pick<typeof PAGE_ROUTES, 'page.mail.receipts'>> {
  return {
    'page.mail.receipts': async ({ context, query }) => {
      door.require(context);
      const { ref } = query();
      if (!session) throw notFound(`there is no message ${ref}: this server keeps no mail of a host`);
      return { receipts: await receiptsOf(session, ref) };
    },
  };
}
