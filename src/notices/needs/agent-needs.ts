import { commandLine } from '../../base/index.ts';
import { NEEDS } from '../../domain/index.ts';
import type { RosterAgent } from '../../session/index.ts';
import { fillPath, PAGE_SHELL_ROUTES } from '../../wire/index.ts';
import type { SeenNeed } from '../outbox/need.ts';
import { pastKey } from '../outbox/outbox.ts';

/** What an agent of this host needs a person for, from what its gateway reports or from the lack of one. */
export function needsOfAgent({ id, name, needs }: RosterAgent, writer: string | null): SeenNeed[] {
  return needs.map(({ kind, words, needs_you, here, since_utc, command, request }) => {
    const open =
      NEEDS[kind].command === 'named' && command !== undefined ? command : commandLine`rouse open ${name}`;
    return {
      key: request ? pastKey(`${kind}:${id}:${request.request_id}`) : `${kind}:${id}`,
      kind,
      agent: name,
      person: null,
      words: request ? `${words}: ${request.detail}` : (here ?? needs_you ?? words),
      command: request ? commandLine`rouse why ${name}` : open,
      href: fillPath(PAGE_SHELL_ROUTES['page.shell.agent'].path, () => encodeURIComponent(name)),
      since_utc,
      writer,
      past: request !== undefined,
    };
  });
}
