import * as path from 'node:path';
import { commandLine, invalid, systemClock, unsupported } from '../../base/index.ts';
import { fleetMail, hintMailLink } from '../../client/index.ts';
import type { LinkRequest, MailLink, MailOutbox, MailStore, MailSurroundings } from '../../mail/index.ts';
import { AGENT_FLAGS, type AgentInput, localAgent } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { activeBindingOf } from '../mail/agent-door.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { shownDate } from '../print/shown-time.ts';
import { keyValues, table } from '../print/table.ts';
import { about, withStore } from './root.ts';

const SURROUNDINGS: MailSurroundings = { clock: systemClock, connectFleet: fleetMail };

interface AgentMailbox {
  store: MailStore;
  request: Omit<LinkRequest, 'fleetAddress'>;
}

/** The agent's mailbox in its store on this host. */
async function withMailStore<T>(input: AgentInput, work: (found: AgentMailbox) => Promise<T>): Promise<T> {
  const facts = await localAgent(input, 'mailbox link');
  const { transport, address, principal_id, filesystem_root } = await activeBindingOf(input, facts);
  if (transport !== 'filesystem' || typeof filesystem_root !== 'string') {
    throw unsupported(`the mailbox of ${facts.agentName} is of the transport ${transport}`, {
      hint:
        transport === 'fleet'
          ? `it is on the fleet server already, as ${address}`
          : 'only a mailbox of a mail store can be linked: "rouse agents mailbox register --mailbox-transport filesystem"',
    });
  }
  const { openMailStore } = await import('../../mail/index.ts');
  const store = openMailStore({ root: filesystem_root, clock: systemClock });
  const fleetDirectory = path.join(path.dirname(facts.path), 'fleet');
  const { agentName } = facts;
  try {
    return await work({ store, request: { address, principal_id, agentName, fleetDirectory } });
  } finally {
    await store.close();
  }
}

async function requireLink({ store, request }: AgentMailbox): Promise<MailLink> {
  const { readLink } = await import('../../mail/index.ts');
  const link = readLink(store.layout, request.address);
  if (link) return link;
  throw invalid(`the mailbox ${request.address} is not linked with a fleet`, {
    hint: `link it with "${commandLine`rouse mailbox link add --agent-name ${request.agentName}`}"`,
  });
}

async function add(input: InputOf<typeof ADD_FLAGS>): Promise<Output> {
  const { addMailLink } = await import('../../mail/index.ts');
  const { fleetAddress } = input.flags;
  const link = await withMailStore(input, async ({ store, request }) => {
    const made = await addMailLink(store, { ...request, fleetAddress }, SURROUNDINGS);
    hintMailLink(request.fleetDirectory);
    return made;
  });
  return {
    data: { linked: true, link },
    plain: `${link.address} is also ${link.fleet_address} in the fleet`,
  };
}

async function remove(input: AgentInput): Promise<Output> {
  const { removeMailLink } = await import('../../mail/index.ts');
  const link = await withMailStore(input, async (found) => {
    const known = await requireLink(found);
    await removeMailLink(found.store, known, SURROUNDINGS);
    hintMailLink(found.request.fleetDirectory);
    return known;
  });
  return { data: { removed: true, link }, plain: `${link.address} is no longer linked with ${link.domain}` };
}

async function carry(input: AgentInput): Promise<Output> {
  const { linkedOutbox } = await import('../../mail/index.ts');
  const counts = await withMailStore(input, async (found) => {
    const outbox = linkedOutbox(found.store, await requireLink(found), SURROUNDINGS);
    await outbox.flush();
    return countOf(outbox);
  });
  return { data: { carried: true, ...counts }, plain: keyValues({ carried: 'all', ...counts }) };
}

async function countOf(outbox: MailOutbox): Promise<{ waiting_count: number; refused_count: number }> {
  const held = await outbox.list();
  const refused_count = held.filter(({ state }) => state === 'refused').length;
  return { waiting_count: held.length - refused_count, refused_count };
}

const list = command({
  name: 'list',
  summary: 'mailboxes that are linked with a fleet, and what waits',
  examples: ['rouse mailbox link list'],
  flags: [ROOT_FLAG],
  run: (input) =>
    withStore(input, async (store): Promise<Output> => {
      const { linkedOutbox, listLinks } = await import('../../mail/index.ts');
      const links = [];
      for (const link of listLinks(store.layout))
        links.push({ ...link, ...(await countOf(linkedOutbox(store, link, SURROUNDINGS))) });
      const plain =
        links.length === 0
          ? 'no mailbox is linked with a fleet'
          : table(links, [
              { title: 'address', value: ({ address }) => address },
              { title: 'in the fleet', value: ({ fleet_address }) => fleet_address },
              { title: 'waiting', value: ({ waiting_count }) => String(waiting_count) },
              { title: 'refused', value: ({ refused_count }) => String(refused_count) },
              { title: 'since', value: ({ linked_at_utc: at }) => shownDate(at, input) },
            ]);
      return { data: about(input, { links, link_count: links.length }), plain };
    }),
});

const ADD_FLAGS = [
  ...AGENT_FLAGS,
  {
    name: 'fleet-address',
    value: 'ADDRESS',
    summary: 'the address in the fleet (default: the name of the agent in the domain of its org)',
    parse: notBlank,
  },
] as const satisfies readonly Flag[];

/** Mail between a store of this host and a fleet server. */
export const link: Command = {
  name: 'link',
  summary: 'route mail between a mailbox of this host and a fleet server',
  subcommands: [
    command({
      name: 'add',
      summary: 'give the mailbox of an agent a second address, in the fleet',
      description:
        'The agent must be registered with a fleet server. It can then write to addresses of the fleet, and ' +
        'mail to its address there is delivered here. Its gateway carries mail both ways; without a gateway, the next mail ' +
        'command or "rouse mailbox link carry" does.',
      examples: ['rouse mailbox link add --agent-name ana'],
      flags: ADD_FLAGS,
      run: add,
    }),
    list,
    command({
      name: 'carry',
      summary: 'carry waiting mail now, both ways',
      examples: ['rouse mailbox link carry --agent-name ana'],
      flags: AGENT_FLAGS,
      run: carry,
    }),
    command({
      name: 'remove',
      summary: 'end the link of an agent; refused while mail waits',
      examples: ['rouse mailbox link remove --agent-name ana'],
      flags: AGENT_FLAGS,
      run: remove,
    }),
  ],
};
