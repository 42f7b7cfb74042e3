import type { GatewayRecords } from '../../../gateway/offline.ts';
import type { Handlers } from '../../../http/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { AgentReach } from '../agents/agent-reach.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { KeptOpen } from '../kept-open.ts';

export type MailRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.mailboxes'
  | 'page.mail.list'
  | 'page.mail.message'
  | 'page.mail.thread'
  | 'page.mail.attachment'
  | 'page.mail.send'
  | 'page.mail.reply'
  | 'page.mail.receipts'
  | 'page.mail.sort'
  | 'page.mail.restore'
>;

export interface MailHandlerParts {
  door: PageDoor;
  doing: Doing;
  mail: HostMail;
  reach: AgentReach;
  readers: KeptOpen<GatewayRecords>;
}

export type Call<K extends keyof MailRoutes> = Parameters<Handlers<MailRoutes>[K]>[0];
