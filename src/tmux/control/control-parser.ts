/** One message of tmux in control mode. Ids are tmux's own: `%1` a pane, `@1` a window, `$1` a session. */
export type ControlMessage =
  /** The response to one command. `own`: the command came from this client's input. */
  | { kind: 'block'; own: boolean; ok: boolean; lines: string[] }
  /** The bytes a program wrote, unchanged; a character may be cut in two. */
  | { kind: 'output'; pane: string; bytes: Buffer }
  /** Output of the pane is being dropped until `refresh-client -A` continues it. */
  | { kind: 'pause'; pane: string }
  /** A mode was entered or left; the pane's facts show which. */
  | { kind: 'pane-mode-changed'; pane: string }
  | { kind: 'window-add'; window: string }
  | { kind: 'window-close'; window: string }
  | { kind: 'window-renamed'; window: string; name: string }
  | { kind: 'window-pane-changed'; window: string; pane: string }
  /** Panes came, went or changed size. */
  | { kind: 'layout-change'; window: string }
  | { kind: 'session-changed'; session: string; name: string }
  | { kind: 'session-renamed'; session: string; name: string }
  | { kind: 'session-window-changed'; session: string; window: string }
  | { kind: 'sessions-changed' }
  /** Another client attached to a session, changed it, or left. */
  | { kind: 'client-session-changed'; client: string; session: string }
  | { kind: 'client-detached'; client: string }
  | { kind: 'subscription-changed'; name: string; value: string }
  | { kind: 'exit'; reason: string }
  /** A line of a newer tmux. */
  | { kind: 'other'; line: string }
  /** An end without a beginning: program output was read as protocol, or the reverse. */
  | { kind: 'broken'; line: string };

const LF = 0x0a;
const BACKSLASH = 0x5c;
const OUTPUT = /^%(?:output (%\d+) |extended-output (%\d+) [^:]*: )/;

interface OpenBlock {
  /** Time, number and flags: an end counts only when it repeats all three. */
  mark: string;
  lines: string[];
}

/** Turns the byte stream of a control client into messages, however it is cut into chunks. */
export class ControlParser {
  #rest: Buffer[] = [];
  #block: OpenBlock | undefined;

  *feed(chunk: Buffer): Generator<ControlMessage> {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, end)]);
      this.#rest = [];
      from = end + 1;
      const message = this.#line(line);
      if (message) yield message;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
  }

  #line(line: Buffer): ControlMessage | undefined {
    if (this.#block) return this.#insideBlock(this.#block, line.toString());
    const output = OUTPUT.exec(line.toString('latin1', 0, 200));
    if (output) {
      return {
        kind: 'output',
        pane: (output[1] ?? output[2])!,
        bytes: fromOctal(line.subarray(output[0].length)),
      };
    }
    const text = line.toString();
    if (text.startsWith('%begin ')) {
      this.#block = { mark: text.slice('%begin '.length), lines: [] };
      return undefined;
    }
    return readNotification(text);
  }

  #insideBlock(block: OpenBlock, line: string): ControlMessage | undefined {
    const ok = line === `%end ${block.mark}`;
    if (!ok && line !== `%error ${block.mark}`) {
      block.lines.push(line);
      return undefined;
    }
    this.#block = undefined;
    return { kind: 'block', own: block.mark.endsWith(' 1'), ok, lines: block.lines };
  }
}

/** Bytes below a space and the backslash arrive as three octal digits after a backslash. */
function fromOctal(value: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at++) {
    if (value[at] === BACKSLASH && at + 3 < value.length) {
      bytes[length++] = ((value[at + 1]! & 7) << 6) | ((value[at + 2]! & 7) << 3) | (value[at + 3]! & 7);
      at += 3;
    } else {
      bytes[length++] = value[at]!;
    }
  }
  return bytes.subarray(0, length);
}

type Read = (words: string[], rest: (from: number) => string) => ControlMessage;

const NOTIFICATIONS: Record<string, Read> = {
  '%pause': ([pane]) => ({ kind: 'pause', pane: pane! }),
  '%pane-mode-changed': ([pane]) => ({ kind: 'pane-mode-changed', pane: pane! }),
  '%window-add': ([window]) => ({ kind: 'window-add', window: window! }),
  '%window-close': ([window]) => ({ kind: 'window-close', window: window! }),
  '%unlinked-window-close': ([window]) => ({ kind: 'window-close', window: window! }),
  '%window-renamed': ([window], rest) => ({ kind: 'window-renamed', window: window!, name: rest(1) }),
  '%window-pane-changed': ([window, pane]) => ({ kind: 'window-pane-changed', window: window!, pane: pane! }),
  '%layout-change': ([window]) => ({ kind: 'layout-change', window: window! }),
  '%session-changed': ([session], rest) => ({ kind: 'session-changed', session: session!, name: rest(1) }),
  '%session-renamed': ([session], rest) => ({ kind: 'session-renamed', session: session!, name: rest(1) }),
  '%session-window-changed': ([session, window]) => ({
    kind: 'session-window-changed',
    session: session!,
    window: window!,
  }),
  '%sessions-changed': () => ({ kind: 'sessions-changed' }),
  '%client-session-changed': ([client, session]) => ({
    kind: 'client-session-changed',
    client: client!,
    session: session!,
  }),
  '%client-detached': ([client]) => ({ kind: 'client-detached', client: client! }),
  '%subscription-changed': ([name], rest) => ({
    kind: 'subscription-changed',
    name: name!,
    value: rest(0).replace(/^.*? : ?/, ''),
  }),
  '%exit': (_words, rest) => ({ kind: 'exit', reason: rest(0) }),
};

/** How many words a notification must have to mean what it says. */
const LEAST_WORDS: Record<string, number> = {
  '%window-pane-changed': 2,
  '%session-window-changed': 2,
  '%client-session-changed': 2,
  '%sessions-changed': 0,
  '%exit': 0,
};

function readNotification(line: string): ControlMessage {
  const [name, ...words] = line.split(' ');
  if (name === '%end' || name === '%error') return { kind: 'broken', line };
  const read = Object.hasOwn(NOTIFICATIONS, name!) ? NOTIFICATIONS[name!] : undefined;
  if (!read || words.length < (LEAST_WORDS[name!] ?? 1)) return { kind: 'other', line };
  return read(words, (from) => words.slice(from).join(' '));
}
