import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SharedTmux, StandInTerminal, type TerminalOptions } from './stand-in-terminal.ts';

export type CaoVersion = 'v1.1.1' | 'v2.0.0' | 'v2.4.1' | 'main';

interface Answer {
  status: number;
  body: unknown;
}

interface Mail {
  id: number;
  sender_id: string;
  receiver_id: string;
  message: string;
  status: 'pending' | 'delivered' | 'failed';
  created_at: string;
}

/** An instant of typing at which a test may stop the server, or drop its response. */
export type Instant = 'asked' | 'pasted' | 'entered';

const KEYS = /^(Up|Down|Left|Right|Enter|Tab|Escape|Space|[A-Za-z0-9]|[CMS]-[A-Za-z0-9])$/;
const BAD_KEY =
  'Invalid tmux key name. Allowed keys are arrow keys, Enter, Tab, Escape, Space, single alphanumeric keys, and C-/M-/S- modifier combos.';
/** Between the paste and Enter. The real one waits longer. */
const BETWEEN_MS = 60;

/**
 * The part of a CAO server that Rouse uses, in each version whose responses were recorded, with the faults of the real ones. It
 * types into real panes, by the name of the window.
 */
export class StandInCao {
  readonly version: CaoVersion;
  readonly place: SharedTmux;
  readonly terminals: StandInTerminal[] = [];
  readonly mail: Mail[] = [];
  /** Every request, as `METHOD /path?query`. */
  readonly asked: string[] = [];
  /** Called at each instant of typing; `drop` closes the connection at once, without a response. */
  at: (instant: Instant) => Promise<'drop' | void> | 'drop' | void = () => {};
  /** The response to every call, if set. */
  instead: ((path: string) => Answer | undefined) | undefined;
  #server: http.Server | undefined;
  port = 0;

  constructor(place: SharedTmux, version: CaoVersion = 'main') {
    this.place = place;
    this.version = version;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** 2.3 and later: keys can be pressed, and the status is a latch. */
  get latches(): boolean {
    return this.version === 'v2.4.1' || this.version === 'main';
  }

  async start(): Promise<this> {
    const server = http.createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  /** A restart: its knowledge of the screens is lost; terminals and mail are in its database. */
  async restart(): Promise<void> {
    await this.stop();
    for (const terminal of this.terminals) if (this.latches) terminal.forgotten = true;
    await this.start();
  }

  async terminal(options: TerminalOptions): Promise<StandInTerminal> {
    const terminal = new StandInTerminal(this.place, options);
    await terminal.begin();
    this.terminals.push(terminal);
    return terminal;
  }

  /** Its sweep: pending mail goes into every terminal that it takes for idle. */
  async sweep(): Promise<void> {
    for (const mail of this.mail.filter(({ status }) => status === 'pending')) {
      const terminal = this.terminals.find(({ id }) => id === mail.receiver_id);
      const status = terminal && (await this.#status(terminal));
      if (!terminal || (status !== 'idle' && status !== 'completed')) continue;
      mail.status = 'delivered';
      await this.#type(terminal, `[Message from ${mail.sender_id}] ${mail.message}`);
    }
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const whole = request.url ?? '/';
    // Its parser silently cuts off a URL of 64 KiB, and fails at 128 KiB.
    const cut = Buffer.byteLength(whole) >= 65_536 ? whole.slice(0, whole.length & 0xffff) : whole;
    const url = new URL(cut, this.url);
    this.asked.push(`${request.method} ${whole.length > 300 ? url.pathname : whole}`);
    const answer =
      whole.length >= 131_072
        ? { status: 400, body: 'Invalid HTTP request received.' }
        : (refused(request, this.version) ?? (await this.#answer(request.method ?? 'GET', url)));
    if (answer === 'drop') return void response.destroy();
    const plain = typeof answer.body === 'string';
    const type = plain ? 'text/plain; charset=utf-8' : 'application/json';
    response.writeHead(answer.status, { 'content-type': type, server: 'uvicorn' });
    response.end(plain ? answer.body : JSON.stringify(answer.body));
  }

  async #answer(method: string, url: URL): Promise<Answer | 'drop'> {
    const other = this.instead?.(url.pathname);
    if (other) return other;
    const [, room, name = '', act, more] = url.pathname.split('/');
    if (url.pathname === '/health') return ok(this.#health());
    if (url.pathname === '/openapi.json') return ok(this.#schema());
    if (room === 'sessions' && name === '')
      return method === 'GET' ? ok([]) : detail(405, 'Method Not Allowed');
    if (room === 'sessions') return this.#session(name);
    if (room !== 'terminals') return detail(404, 'Not Found');
    if (!/^[a-f0-9]{8}$/.test(name)) return badId(name);
    if (act === 'inbox' && more === 'messages') return this.#inbox(method, name, url.searchParams);
    if (act === 'key' && !this.latches) return detail(404, 'Not Found');
    const terminal = this.terminals.find(({ id }) => id === name);
    if (act === 'input' && url.searchParams.get('message') === null) return missing('message');
    if (!terminal) return detail(404, `Terminal '${name}' not found`);
    if (act === undefined) return ok(await this.#view(terminal));
    if (act === 'input') return this.#input(terminal, url.searchParams.get('message')!);
    if (act === 'key') return this.#key(terminal, url.searchParams.get('key') ?? '');
    if (act === 'exit') return this.#exit(terminal);
    return detail(404, 'Not Found');
  }

  #health(): unknown {
    const own = { status: 'ok', service: 'cli-agent-orchestrator' };
    if (!this.latches) return own;
    const claude = this.version === 'main' ? 'unavailable' : 'ok';
    return { ...own, terminal_backend: 'tmux', components: { cao: 'ok', herdr: 'unavailable', claude } };
  }

  #schema(): unknown {
    const routes = ['/health', '/terminals/{terminal_id}', '/terminals/{terminal_id}/input'];
    if (this.latches) routes.push('/terminals/{terminal_id}/key');
    return { info: { version: '0.1.0' }, paths: Object.fromEntries(routes.map((route) => [route, {}])) };
  }

  async #session(name: string): Promise<Answer> {
    const own = this.terminals.filter(({ session }) => session === name);
    if (!(await own[0]?.has('session'))) return detail(404, `Session '${name}' not found`);
    const rows = own.map(async (terminal) => ({
      id: terminal.id,
      tmux_session: terminal.session,
      tmux_window: terminal.window,
      provider: this.#provider,
      agent_profile: 'developer',
      ...(this.version === 'main' && { working_directory: '/tmp' }),
      ...(this.latches && { engine: null }),
      last_active: stamp(),
      ...(this.latches && { status: await this.#status(terminal) }),
    }));
    return ok({ session: { id: name, name, status: 'detached' }, terminals: await Promise.all(rows) });
  }

  get #provider(): string {
    return this.latches ? 'mock_cli' : 'claude_code';
  }

  /** Returns 200 even if the window is gone, like the real one. */
  async #view(terminal: StandInTerminal): Promise<unknown> {
    const { id, window: name, session: session_name } = terminal;
    return {
      id,
      name,
      provider: this.#provider,
      session_name,
      agent_profile: 'developer',
      ...(this.latches && {
        caller_id: null,
        allowed_tools: ['@builtin'],
        engine: null,
        shell_command: null,
      }),
      ...(this.version === 'main' && { group: null, metadata: null }),
      status: await this.#status(terminal),
      last_active: stamp(),
    };
  }

  async #status(terminal: StandInTerminal): Promise<string> {
    if (!this.latches) {
      // The last screen of an ended agent still looks like an answer.
      return (await terminal.runs()) ? terminal.seen() : 'completed';
    }
    if (terminal.forgotten) return 'unknown';
    if (terminal.latched !== undefined) return terminal.latched;
    const seen = await terminal.seen().catch(() => 'completed');
    if (seen === 'idle' || seen === 'completed' || seen === 'error') {
      if (terminal.mayBegin) return 'processing';
      terminal.latched = seen;
    }
    return seen;
  }

  async #input(terminal: StandInTerminal, text: string): Promise<Answer | 'drop'> {
    if (this.latches && (await this.#status(terminal)) === 'error')
      return detail(
        409,
        `Terminal ${terminal.id} provider is in ERROR state (provider process may have exited). Refusing to deliver input.`,
      );
    if ((await this.at('asked')) === 'drop') return 'drop';
    if (text === '' || !(await terminal.has('window'))) return unpasted(terminal);
    if ((await this.#type(terminal, text)) === 'drop') return 'drop';
    return ok({ success: true });
  }

  async #type(terminal: StandInTerminal, text: string): Promise<'drop' | void> {
    terminal.release();
    await terminal.paste(text);
    if ((await this.at('pasted')) === 'drop') return 'drop';
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    terminal.answered = true;
    await terminal.press('Enter');
    return this.at('entered');
  }

  async #key(terminal: StandInTerminal, key: string): Promise<Answer> {
    if (!KEYS.test(key)) return detail(400, BAD_KEY);
    if (!(await terminal.has('session'))) return detail(404, `Session '${terminal.session}' not found`);
    if (!(await terminal.has('window')))
      return detail(404, `Window '${terminal.window}' not found in session '${terminal.session}'`);
    terminal.release();
    await terminal.press(key);
    return ok({ success: true });
  }

  async #exit(terminal: StandInTerminal): Promise<Answer> {
    await terminal.paste('/exit');
    await terminal.press('Enter');
    return ok({ success: true });
  }

  async #inbox(method: string, receiver_id: string, query: URLSearchParams): Promise<Answer> {
    if (method === 'POST') {
      const [sender_id, message] = [query.get('sender_id') ?? '', query.get('message') ?? ''];
      const mail = { id: this.mail.length + 1, sender_id, receiver_id, message, status: 'pending' as const };
      const created_at = stamp();
      this.mail.push({ ...mail, created_at });
      void this.sweep().catch(() => {});
      return ok({ success: true, message_id: mail.id, sender_id, receiver_id, created_at });
    }
    const wanted = query.get('status');
    if (wanted !== null && !['pending', 'delivered', 'failed'].includes(wanted))
      return detail(400, `Invalid status: ${wanted}. Valid values: pending, delivered, failed`);
    const own = this.mail.filter(
      (each) => each.receiver_id === receiver_id && (wanted ?? each.status) === each.status,
    );
    return ok(own.slice(0, Number(query.get('limit') ?? 10)));
  }
}

function refused({ headers, method }: http.IncomingMessage, version: CaoVersion): Answer | undefined {
  const host = headers.host?.replace(/:\d+$/, '');
  if (version !== 'v1.1.1' && host !== '127.0.0.1' && host !== 'localhost')
    return { status: 400, body: 'Invalid host header' };
  if (version === 'main' && headers.origin !== undefined && method !== 'GET')
    return detail(403, 'Cross-origin request blocked');
  return undefined;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const detail = (status: number, words: unknown): Answer => ({ status, body: { detail: words } });
const stamp = (): string => new Date().toISOString().replace('Z', '000');

function missing(field: string): Answer {
  return detail(422, [{ type: 'missing', loc: ['query', field], msg: 'Field required', input: null }]);
}

function badId(given: string): Answer {
  const pattern = '^[a-f0-9]{8}$';
  const msg = `String should match pattern '${pattern}'`;
  return detail(422, [
    { type: 'string_pattern_mismatch', loc: ['path', 'terminal_id'], msg, input: given, ctx: { pattern } },
  ]);
}

function unpasted({ session, window }: StandInTerminal): Answer {
  const command = `['tmux', 'paste-buffer', '-r', '-b', 'cao_1', '-t', '${session}:${window}']`;
  return detail(500, `Failed to send input: Command '${command}' returned non-zero exit status 1.`);
}
