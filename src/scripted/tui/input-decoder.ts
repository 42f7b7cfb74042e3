/** Input of the terminal. Typed text comes one code point at a time. */
export type InputEvent =
  | { kind: 'text'; text: string }
  | { kind: 'key'; key: string }
  | { kind: 'paste'; text: string }
  /** A complete but unknown sequence (mouse, focus, a report); it must never count as text. */
  | { kind: 'unknown'; raw: string };

const ESC = 0x1b;
const PASTE_END = '\u001b[201~';
const MAX_SEQUENCE = 64;

const CSI_LETTERS: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  Z: 'shift-tab',
};

const CSI_NUMBERS: Record<string, string> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/**
 * Terminal bytes → events. The events do not depend on how the bytes are split into chunks. Only `flush`, called when
 * nothing followed an Escape for a while, decides that an unfinished sequence was a key by itself.
 */
export class InputDecoder {
  #state: 'ground' | 'escape' | 'csi' | 'ss3' | 'paste' = 'ground';
  #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  #utf8Open = false;
  #sequence = '';
  #pasted: number[] = [];
  #events: InputEvent[] = [];

  /** What the decoder waits for. After `escape` or `sequence` the caller starts a timer, then calls `flush`. */
  get waiting(): 'nothing' | 'escape' | 'sequence' | 'paste' {
    if (this.#state === 'ground') return 'nothing';
    return this.#state === 'escape' || this.#state === 'paste' ? this.#state : 'sequence';
  }

  feed(chunk: Uint8Array): InputEvent[] {
    for (let at = 0; at < chunk.length; at++) {
      if (this.#state === 'ground' && chunk[at]! >= 0x80) {
        let end = at + 1;
        while (end < chunk.length && chunk[end]! >= 0x80) end++;
        this.#utf8Open = true;
        this.#text(this.#utf8.decode(chunk.subarray(at, end), { stream: true }));
        at = end - 1;
      } else this.#byte(chunk[at]!);
    }
    return this.#take();
  }

  /** Nothing more came: an open Escape was the Escape key; an open sequence was Alt with a letter, or is unknown. */
  flush(): InputEvent[] {
    if (this.#state === 'escape') this.#key('escape');
    else if (this.#state === 'ss3') this.#key('alt-O');
    else if (this.#state === 'csi' && this.#sequence === '') this.#key('alt-[');
    else if (this.#state === 'csi') this.#unknown();
    if (this.#state !== 'paste') this.#state = 'ground';
    return this.#take();
  }

  #take(): InputEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #byte(byte: number): void {
    if (this.#state === 'paste') this.#pasteByte(byte);
    else if (this.#state === 'escape') this.#afterEscape(byte);
    else if (this.#state === 'csi') this.#csiByte(byte);
    else if (this.#state === 'ss3') this.#ss3Byte(byte);
    else this.#groundByte(byte);
  }

  #groundByte(byte: number): void {
    if (byte >= 0x80) {
      this.#utf8Open = true;
      this.#text(this.#utf8.decode(Uint8Array.of(byte), { stream: true }));
      return;
    }
    this.#endUtf8();
    if (byte === ESC) this.#state = 'escape';
    else if (byte >= 0x20 && byte !== 0x7f) this.#text(String.fromCharCode(byte));
    else this.#key(controlKey(byte));
  }

  /** An incomplete character becomes U+FFFD; it is never joined with the bytes that follow. */
  #endUtf8(): void {
    if (!this.#utf8Open) return;
    this.#utf8Open = false;
    this.#text(this.#utf8.decode());
  }

  #afterEscape(byte: number): void {
    this.#state = 'ground';
    if (byte === ESC) {
      this.#key('escape');
      this.#state = 'escape';
    } else if (byte === 0x5b) {
      this.#state = 'csi';
      this.#sequence = '';
    } else if (byte === 0x4f) this.#state = 'ss3';
    else if (byte === 0x0d || byte === 0x0a) this.#key('newline');
    else if (byte === 0x7f) this.#key('alt-backspace');
    else if (byte > 0x20 && byte < 0x80) this.#key(`alt-${String.fromCharCode(byte)}`);
    else {
      this.#key('escape');
      this.#groundByte(byte);
    }
  }

  #csiByte(byte: number): void {
    if (byte < 0x20 || byte > 0x7e || this.#sequence.length > MAX_SEQUENCE) {
      this.#unknown();
      this.#state = 'ground';
      this.#groundByte(byte);
      return;
    }
    this.#sequence += String.fromCharCode(byte);
    if (byte < 0x40) return;
    this.#state = 'ground';
    if (this.#sequence === '200~') {
      this.#state = 'paste';
      this.#pasted = [];
      return;
    }
    const key = csiKey(this.#sequence);
    if (key === undefined) this.#unknown();
    else this.#key(key);
  }

  #ss3Byte(byte: number): void {
    this.#state = 'ground';
    const key = CSI_LETTERS[String.fromCharCode(byte)];
    this.#key(key ?? 'alt-O');
    if (key === undefined) this.#groundByte(byte);
  }

  #pasteByte(byte: number): void {
    this.#pasted.push(byte);
    if (byte !== 0x7e || !this.#pasteEnds()) return;
    const bytes = Uint8Array.from(this.#pasted.slice(0, -PASTE_END.length));
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    // Terminals send CR for a line break inside a paste, as for Enter.
    this.#events.push({ kind: 'paste', text: text.replace(/\r\n?/g, '\n') });
    this.#pasted = [];
    this.#state = 'ground';
  }

  #pasteEnds(): boolean {
    const tail = this.#pasted.length - PASTE_END.length;
    if (tail < 0) return false;
    for (let i = 0; i < PASTE_END.length; i++) {
      if (this.#pasted[tail + i] !== PASTE_END.charCodeAt(i)) return false;
    }
    return true;
  }

  #text(text: string): void {
    for (const point of text) {
      const code = point.codePointAt(0)!;
      if (code >= 0x80 && code < 0xa0) this.#events.push({ kind: 'unknown', raw: point });
      else this.#events.push({ kind: 'text', text: point });
    }
  }

  #key(key: string): void {
    this.#events.push({ kind: 'key', key });
  }

  #unknown(): void {
    this.#events.push({ kind: 'unknown', raw: `\u001b[${this.#sequence}` });
  }
}

function controlKey(byte: number): string {
  if (byte === 0x0d) return 'enter';
  if (byte === 0x0a) return 'newline';
  if (byte === 0x09) return 'tab';
  if (byte === 0x7f || byte === 0x08) return 'backspace';
  if (byte === 0x00) return 'ctrl-space';
  return `ctrl-${String.fromCharCode(byte + 0x40).toLowerCase()}`;
}

function csiKey(sequence: string): string | undefined {
  const match = /^(\d*)(?:;(\d+))?(?:;(\d+))?([~A-Za-z])$/.exec(sequence);
  if (!match) return undefined;
  const [, first = '', second, third, final = ''] = match;
  if (final === '~' && first === '27' && third) return reportedKey(Number(third), Number(second));
  if (final === '~') return withModifiers(CSI_NUMBERS[first], Number(second ?? 1));
  if (final === 'u') return reportedKey(Number(first), Number(second ?? 1));
  return withModifiers(CSI_LETTERS[final], Number(second ?? 1));
}

/** A key reported by code point and modifiers (modifyOtherKeys, kitty). */
function reportedKey(code: number, modifiers: number): string | undefined {
  if (code === 13) return modifiers === 1 ? 'enter' : 'newline';
  const named: Record<number, string> = { 9: 'tab', 27: 'escape', 127: 'backspace' };
  if (named[code]) return withModifiers(named[code], modifiers);
  if (code <= 0x20 || code > 0x10ffff || modifiers <= 2) return undefined;
  return withModifiers(String.fromCodePoint(code), modifiers);
}

function withModifiers(key: string | undefined, modifiers: number): string | undefined {
  if (key === undefined || modifiers <= 1) return key;
  const bits = modifiers - 1;
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}${key}`;
}
