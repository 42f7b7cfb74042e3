import { invalid } from '../base/index.ts';
import type { OwnerTyped } from '../terminal/owner.ts';
import { askCao, type CaoAnswer } from './ask-cao.ts';
import type { CaoAddress } from './cao-address.ts';
import {
  CAO_SERVICE,
  fitsUrl,
  HEALTH,
  inputPath,
  KEY_ROUTE,
  keyPath,
  MAX_URL_BYTES,
  pendingPath,
  SCHEMA,
  terminalPath,
} from './cao-routes.ts';

/** What this server can do, by its own schema. */
interface CaoAbilities {
  /** It can press keys. Such a server's status is a latch that only its own typing releases. */
  key: boolean;
}

export type CaoHealth =
  | { kind: 'cao'; backend: string }
  /** Another program is there; `service` is its own name. */
  | { kind: 'other'; service: string | undefined }
  | { kind: 'unreachable'; why: string };

export type CaoTerminal =
  | {
      kind: 'known';
      /** null if the server has not observed it: it is deferred, or was started before the server. */
      status: string | null;
      session: string;
      window: string;
      provider: string;
      profile: string | null;
    }
  | { kind: 'unknown' }
  | { kind: 'unreachable'; why: string };

const LOOK_MS = 5_000;
const TYPE_MS = 15_000;

const KEYS = /^(Up|Down|Left|Right|Enter|Tab|Escape|Space|[A-Za-z0-9]|[CMS]-[A-Za-z0-9])$/;

export function isCaoTerminalId(text: string): boolean {
  return /^[a-f0-9]{8}$/.test(text);
}

/** Whether `POST …/key` takes a key of this name. */
export function takesCaoKey(name: string): boolean {
  return KEYS.test(name);
}

export class CaoClient {
  readonly address: CaoAddress;
  #abilities: CaoAbilities | undefined;

  constructor(address: CaoAddress) {
    this.address = address;
  }

  async health(): Promise<CaoHealth> {
    const answer = await this.#look(HEALTH);
    if (answer.kind !== 'answered') return { kind: 'unreachable', why: answer.why };
    const { service, houmao_service, terminal_backend } = fieldsOf(answer.body);
    if (answer.status === 200 && service === CAO_SERVICE)
      return { kind: 'cao', backend: textOf(terminal_backend) ?? 'tmux' };
    return { kind: 'other', service: textOf(houmao_service) ?? textOf(service) };
  }

  /** Read once, and again after the server was away, because another one may be there. Undefined if it does not report them. */
  async abilities(): Promise<CaoAbilities | undefined> {
    if (this.#abilities) return this.#abilities;
    const answer = await this.#look(SCHEMA);
    if (answer.kind !== 'answered' || answer.status !== 200) return undefined;
    const paths = fieldsOf(answer.body)['paths'];
    if (paths === undefined) return undefined;
    this.#abilities = { key: KEY_ROUTE in fieldsOf(paths) };
    return this.#abilities;
  }

  /** What it reports about a terminal. It reports the same for a window that is gone, so this is no sign of life. */
  async terminal(id: string): Promise<CaoTerminal> {
    const answer = await this.#look(terminalPath(id));
    if (answer.kind !== 'answered') return { kind: 'unreachable', why: answer.why };
    if (answer.status === 404) return { kind: 'unknown' };
    const { name, session_name, status, provider, agent_profile } = fieldsOf(answer.body);
    const window = textOf(name);
    const session = textOf(session_name);
    if (answer.status !== 200 || window === undefined || session === undefined)
      return { kind: 'unreachable', why: wordsOf(answer) };
    return {
      kind: 'known',
      status: textOf(status) ?? null,
      session,
      window,
      provider: textOf(provider) ?? 'unknown',
      profile: textOf(agent_profile) ?? null,
    };
  }

  /** Whether CAO's own mail waits to be pasted into the terminal; undefined if it does not report it. */
  async hasPendingMail(id: string): Promise<boolean | undefined> {
    const answer = await this.#look(pendingPath(id));
    if (answer.kind !== 'answered' || answer.status !== 200 || !Array.isArray(answer.body)) return undefined;
    return answer.body.length > 0;
  }

  /** Pastes the text and presses Enter. Sent once, whatever the response. */
  async input(id: string, text: string): Promise<OwnerTyped> {
    const path = inputPath(id, text);
    if (!fitsUrl(this.address.baseUrl, path))
      throw invalid(
        `the text makes a URL of more than ${MAX_URL_BYTES} bytes, which a CAO server would cut off`,
      );
    return typed(await askCao(this.address, { method: 'POST', path, timeoutMs: TYPE_MS }));
  }

  async key(id: string, key: string): Promise<OwnerTyped> {
    if (!takesCaoKey(key)) throw invalid(`a CAO server cannot press the key ${JSON.stringify(key)}`);
    return typed(await askCao(this.address, { method: 'POST', path: keyPath(id, key), timeoutMs: TYPE_MS }));
  }

  async #look(path: string): Promise<CaoAnswer> {
    const answer = await askCao(this.address, { method: 'GET', path, timeoutMs: LOOK_MS });
    if (answer.kind === 'absent') this.#abilities = undefined;
    return answer;
  }
}

/** A refusal comes before anything is typed. After any other error only the screen shows what was typed. */
function typed(answer: CaoAnswer): OwnerTyped {
  if (answer.kind === 'absent') return { kind: 'refused', status: null, why: `no connection: ${answer.why}` };
  if (answer.kind === 'lost') return { kind: 'unknown', why: `its answer was lost: ${answer.why}` };
  const { status, body } = answer;
  if (status === 200 && fieldsOf(body)['success'] === true) return { kind: 'asked' };
  const why = wordsOf(answer);
  return status >= 400 && status < 500 ? { kind: 'refused', status, why } : { kind: 'unknown', why };
}

/** One line for people, whatever shape the refusal has. */
function wordsOf({ status, body }: Extract<CaoAnswer, { kind: 'answered' }>): string {
  const { detail } = fieldsOf(body);
  const message = Array.isArray(detail)
    ? detail.map((each) => fieldsOf(each)['msg']).join('; ')
    : (textOf(detail) ?? textOf(body) ?? '');
  const words = message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 300);
  return words === '' ? `status ${status}` : `status ${status}: ${words}`;
}

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
