import { afterEach, beforeEach, describe } from 'vitest';
import { describeDelivery } from './delivery.contract.ts';
import { describeFlags } from './flags.contract.ts';
import { describeLists } from './lists.contract.ts';
import { type MailContract, MailScene } from './mail-scene.contract.ts';
import { describeRefusals } from './refusals.contract.ts';
import { describeReplies } from './replies.contract.ts';
import { describeRetries } from './retries.contract.ts';
import { describeSearch } from './search.contract.ts';
import { describeWatch } from './watch.contract.ts';

/** What every mailbox does, whatever its transport. Each store and the fake pass all of it. */
export function describeMailbox({ name, capabilities, begin }: MailContract): void {
  describe(`the mailbox contract, ${name}`, () => {
    const scene = new MailScene(capabilities);
    beforeEach(async () => scene.begin(await begin()));
    afterEach(() => scene.end());

    describeDelivery(scene);
    describeLists(scene);
    describeFlags(scene);
    describeReplies(scene);
    describeRetries(scene);
    describeRefusals(scene);
    describeSearch(scene);
    describeWatch(scene);
  });
}
