import {
  commandLine,
  conflict,
  invalid,
  notFound,
  processVariable,
  unavailable,
  unsupported,
} from '../base/index.ts';
import type { OwnedTerminal, OwnerKind } from '../terminal/owner.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import { caoAddress, DEFAULT_CAO_URL } from './cao-address.ts';
import { CaoClient, isCaoTerminalId } from './cao-client.ts';
import { CaoOwner } from './cao-owner.ts';
import { CAO_SERVICE } from './cao-routes.ts';

/** A CAO server as the owner of terminals. */
export const CAO: OwnerKind = {
  backend: BACKEND.cao,
  service: CAO_SERVICE,
  joinCommand: (baseUrl = DEFAULT_CAO_URL) =>
    commandLine`rouse agents join --cao TERMINAL_ID --cao-url ${baseUrl} --agent-name NAME`,
  find: findTerminal,
  terminalOf: (pid) => processVariable(pid, 'CAO_TERMINAL_ID'),
  open: ({ apiBaseUrl, terminalId, session, windowName: window }, { clock, env }) =>
    new CaoOwner({ client: clientAt(apiBaseUrl, env), terminalId, place: { session, window }, clock }),
};

function clientAt(url: string, env: NodeJS.ProcessEnv): CaoClient {
  const allowed = (env['ROUSE_CAO_HOSTS'] ?? '').split(',').filter(Boolean);
  return new CaoClient(caoAddress(url, allowed));
}

async function findTerminal(
  wanted: { terminalId: string; url?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<OwnedTerminal> {
  const { terminalId, url = DEFAULT_CAO_URL } = wanted;
  if (!isCaoTerminalId(terminalId))
    throw invalid(
      `--cao takes the id of a terminal, eight of 0-9 and a-f, not ${JSON.stringify(terminalId)}`,
      {
        hint: 'in the agent’s own window it is $CAO_TERMINAL_ID',
      },
    );
  const client = clientAt(url, env);
  const { baseUrl } = client.address;
  await requireCao(client);
  const terminal = await client.terminal(terminalId);
  if (terminal.kind === 'unreachable')
    throw unavailable(
      `the CAO server at ${baseUrl} does not report terminal ${terminalId}: ${terminal.why}`,
      {
        facts: { cause: 'cao_unreachable', base_url: baseUrl },
      },
    );
  if (terminal.kind === 'unknown')
    throw notFound(`the CAO server at ${baseUrl} knows no terminal ${terminalId}`, {
      hint: `see its list: curl ${baseUrl}/sessions`,
      facts: { cause: 'cao_terminal_unknown', base_url: baseUrl },
    });
  const { session, window, profile } = terminal;
  return { apiBaseUrl: baseUrl, terminalId, session, windowName: window, profileName: profile };
}

async function requireCao(client: CaoClient): Promise<void> {
  const { baseUrl } = client.address;
  const health = await client.health();
  if (health.kind === 'unreachable')
    throw unavailable(`no CAO server answers at ${baseUrl}: ${health.why}`, {
      hint: 'start cao-server, or say where it is with --cao-url',
      facts: { cause: 'cao_unreachable', base_url: baseUrl },
    });
  if (health.kind === 'other')
    throw conflict(
      `what answers at ${baseUrl} is not a CAO server${health.service ? ` but ${health.service}` : ''}`,
      {
        hint: 'say where the CAO server is with --cao-url',
        facts: { cause: 'not_a_cao_server', base_url: baseUrl },
      },
    );
  if (health.backend !== 'tmux')
    throw unsupported(`the CAO server at ${baseUrl} keeps its terminals in ${health.backend}, not in tmux`, {
      facts: { cause: 'cao_without_tmux', base_url: baseUrl },
    });
}
