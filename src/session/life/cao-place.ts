import { conflict, invalid, notFound, processVariable, unavailable, unsupported } from '../../base/index.ts';
import { CaoClient, caoAddress, DEFAULT_CAO_URL, isCaoTerminalId } from '../../cao/index.ts';
import { SHARED_SOCKET, socketPath } from '../../tmux/index.ts';
import { socketOf } from '../records/tmux-socket.ts';
import type { SessionContext } from '../session-context.ts';
import { type Pane, SessionTmux } from '../session-tmux.ts';
import { requireUnmanaged } from './join-place.ts';

/** A terminal of a CAO server, as somebody names it. */
export interface CaoJoin {
  terminalId: string;
  url?: string | undefined;
}

/** The same as it is kept: whom to ask, and where in tmux the agent is. */
export interface CaoOwnership {
  apiBaseUrl: string;
  terminalId: string;
  windowName: string;
  profileName: string | null;
}

export interface CaoPlace {
  tmux: SessionTmux;
  session: string;
  pane: Pane;
  cao: CaoOwnership;
}

/** Finds a CAO terminal: the server must know it, and tmux must have its window. Nothing is changed in either. */
export async function caoPlace(context: SessionContext, given: CaoJoin): Promise<CaoPlace> {
  const { terminalId, url = DEFAULT_CAO_URL } = given;
  if (!isCaoTerminalId(terminalId))
    throw invalid(
      `--cao takes the id of a terminal, eight of 0-9 and a-f, not ${JSON.stringify(terminalId)}`,
      {
        hint: 'in the agent’s own window it is $CAO_TERMINAL_ID',
      },
    );
  const client = new CaoClient(caoAddress(url, (context.env['ROUSE_CAO_HOSTS'] ?? '').split(',')));
  const { baseUrl } = client.address;
  await requireCao(client);
  const terminal = await client.terminal(terminalId);
  if (terminal.kind === 'unreachable')
    throw unavailable(
      `the CAO server at ${baseUrl} does not tell of terminal ${terminalId}: ${terminal.why}`,
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
  const { tmux, pane } = await findWindow(context, { session, window, terminalId });
  await requireUnmanaged(tmux, { session, window });
  return {
    tmux,
    session,
    pane,
    cao: { apiBaseUrl: baseUrl, terminalId, windowName: window, profileName: profile },
  };
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

interface Wanted {
  session: string;
  window: string;
  terminalId: string;
}

/** CAO uses the default tmux server of its own environment, which need not be that of this command. */
async function findWindow(
  context: SessionContext,
  wanted: Wanted,
): Promise<{ tmux: SessionTmux; pane: Pane }> {
  const { env, settings } = context;
  const sockets = [socketOf(settings.tmuxSocket, env), socketPath(undefined, env), SHARED_SOCKET];
  for (const socket of new Set(sockets)) {
    const tmux = new SessionTmux(socket, env);
    const pane = await tmux.windowPane(wanted.session, wanted.window);
    if (!pane) continue;
    const told = terminalIn(pane.pid);
    if (told !== undefined && told !== wanted.terminalId)
      throw conflict(`the window "${wanted.window}" in tmux is that of CAO terminal ${told}`, {
        facts: { cause: 'cao_other_terminal', tmux_socket: socket },
      });
    return { tmux, pane };
  }
  throw notFound(
    `tmux session "${wanted.session}" with window "${wanted.window}" is on none of the servers known here`,
    {
      hint: 'CAO keeps its terminals in the default tmux server of its own environment; name that with ROUSE_TMUX_SOCKET',
      facts: { cause: 'cao_window_gone', tmux_session: wanted.session },
    },
  );
}

/** What CAO has put into the environment of the pane; undefined when it has put nothing there. */
const terminalIn = (pid: number): string | undefined => processVariable(pid, 'CAO_TERMINAL_ID');
