import { afterAll, beforeAll, describe } from 'vitest';
import { ALL_CAPABILITIES } from '../../src/mail/all-capabilities.ts';
import { describeMailbox } from '../../src/mail/contract/mailbox.contract.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { sampled } from '../support/sample.ts';
import { MailSessions } from './mail-world.ts';

/** One of the two, drawn by the seed; both at full size. */
const DATABASES = sampled(import.meta.filename, ['postgres', 'embedded'] as const, 1);

describe.each(DATABASES)('mail kept by a fleet server on %s', (on) => {
  let fleet: TestFleet;
  let worlds = 0;
  beforeAll(async () => {
    fleet = await startFleet({ on });
  });
  afterAll(() => fleet.stop());

  describeMailbox({
    name: `fleet, ${on}`,
    capabilities: ALL_CAPABILITIES,
    async begin() {
      const { orgId } = await fleet.tenant(`org-${++worlds}`);
      const sessions = new MailSessions(fleet);
      const of = async (name: string) => {
        const binding = await sessions.bind(name, { orgId });
        return { binding, mailbox: await sessions.open(binding) };
      };
      const [alice, bob, carol] = [await of('alice'), await of('bob'), await of('carol')];
      return {
        alice: alice.mailbox,
        bob: bob.mailbox,
        carol: carol.mailbox,
        settle: async () => {},
        anotherBob: () => sessions.open(bob.binding),
        end: () => sessions.end(),
      };
    },
  });
});
