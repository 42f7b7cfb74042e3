/** Where text in the composer comes from; several sources together are `mixed`. */
export type Source = 'typed' | 'pasted' | 'recalled' | 'scripted';
export type How = Source | 'mixed';

/** A long paste, shown only as its label. */
interface Chip {
  label: string;
  text: string;
}

type Atom = string | Chip;

/** The draft: characters and collapsed pastes, with a cursor between them. */
export class Composer {
  #atoms: Atom[] = [];
  #cursor = 0;
  #sources = new Set<Source>();
  #chips = 0;

  get isEmpty(): boolean {
    return this.#atoms.length === 0;
  }

  /** The draft as it will be sent. */
  get text(): string {
    return this.#atoms.map((atom) => (typeof atom === 'string' ? atom : atom.text)).join('');
  }

  /** The draft as it is shown, and the cursor as an offset into it. */
  get view(): { text: string; cursor: number } {
    let text = '';
    let cursor = 0;
    for (const [index, atom] of this.#atoms.entries()) {
      if (index === this.#cursor) cursor = text.length;
      text += typeof atom === 'string' ? atom : atom.label;
    }
    return { text, cursor: this.#cursor === this.#atoms.length ? text.length : cursor };
  }

  get how(): How {
    const [only, ...others] = this.#sources;
    return others.length > 0 ? 'mixed' : (only ?? 'typed');
  }

  insert(text: string, source: Source): void {
    this.#put([...text], source);
  }

  /** A paste shown as a chip; `{n}` and `{lines}` of the label are filled in. */
  insertCollapsed(text: string, label: string, source: Source): void {
    const breaks = text.split('\n').length - 1;
    const filled = label.replace('{n}', String(++this.#chips)).replace('{lines}', String(breaks));
    this.#put([{ label: filled, text }], source);
  }

  #put(atoms: Atom[], source: Source): void {
    if (atoms.length === 0) return;
    if (this.#cursor === this.#atoms.length) for (const atom of atoms) this.#atoms.push(atom);
    else this.#atoms = [...this.#atoms.slice(0, this.#cursor), ...atoms, ...this.#atoms.slice(this.#cursor)];
    this.#cursor += atoms.length;
    this.#sources.add(source);
  }

  replace(text: string, source: Source): void {
    this.clear();
    this.insert(text, source);
  }

  clear(): void {
    this.#remove(0, this.#atoms.length);
  }

  backspace(): void {
    if (this.#cursor > 0) this.#remove(this.#cursor - 1, this.#cursor);
  }

  delete(): void {
    if (this.#cursor < this.#atoms.length) this.#remove(this.#cursor, this.#cursor + 1);
  }

  /** Ctrl-U: from the cursor back to the start of its line. */
  deleteToLineStart(): void {
    this.#remove(this.#lineStart(), this.#cursor);
  }

  /** Ctrl-K: from the cursor to the end of its line. */
  deleteToLineEnd(): void {
    this.#remove(this.#cursor, this.#lineEnd());
  }

  /** Ctrl-W: the word before the cursor. */
  deleteWord(): void {
    let from = this.#cursor;
    while (from > 0 && isSpace(this.#atoms[from - 1]!)) from--;
    while (from > 0 && !isSpace(this.#atoms[from - 1]!)) from--;
    this.#remove(from, this.#cursor);
  }

  #remove(from: number, to: number): void {
    this.#atoms.splice(from, to - from);
    this.#cursor = from;
    if (this.#atoms.length === 0) this.#sources.clear();
  }

  left(): void {
    this.#cursor = Math.max(0, this.#cursor - 1);
  }

  right(): void {
    this.#cursor = Math.min(this.#atoms.length, this.#cursor + 1);
  }

  home(): void {
    this.#cursor = this.#lineStart();
  }

  end(): void {
    this.#cursor = this.#lineEnd();
  }

  /** False when there is no line above: the caller may then recall history. */
  up(): boolean {
    const start = this.#lineStart();
    if (start === 0) return false;
    const column = this.#cursor - start;
    this.#cursor = start - 1;
    const above = this.#lineStart();
    this.#cursor = Math.min(above + column, start - 1);
    return true;
  }

  down(): boolean {
    const end = this.#lineEnd();
    if (end === this.#atoms.length) return false;
    const column = this.#cursor - this.#lineStart();
    this.#cursor = end + 1;
    this.#cursor = Math.min(end + 1 + column, this.#lineEnd());
    return true;
  }

  #lineStart(): number {
    let at = this.#cursor;
    while (at > 0 && this.#atoms[at - 1] !== '\n') at--;
    return at;
  }

  #lineEnd(): number {
    let at = this.#cursor;
    while (at < this.#atoms.length && this.#atoms[at] !== '\n') at++;
    return at;
  }
}

function isSpace(atom: Atom): boolean {
  return typeof atom === 'string' && /\s/.test(atom);
}
