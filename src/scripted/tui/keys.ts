import type { Agent } from '../agent.ts';
import { fingerprint } from '../fingerprint.ts';
import { COMMANDS, readSubmission } from '../turns/submission.ts';
import { pressInDialog } from './dialog.ts';
import type { InputEvent } from './input-decoder.ts';

/** Characters closer together than this come from a program, not from a person. */
const FAST_TYPING_MS = 10;
const FAST_RUN = 3;

/** Applies input events to the agent, as a real tool would. */
export class Keys {
  #agent: Agent;
  #pastedAt = Number.NEGATIVE_INFINITY;
  #typedAt = Number.NEGATIVE_INFINITY;
  #run = 0;
  #recalled = 0;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** All events of one read. */
  take(events: InputEvent[]): void {
    for (const event of events) {
      if (this.#agent.dialog) this.#inDialog(event, events.length === 1);
      else this.#inComposer(event);
    }
    if (events.length > 0) this.#agent.draftChanged();
  }

  #inDialog(event: InputEvent, alone: boolean): void {
    const agent = this.#agent;
    const dialog = agent.dialog!;
    agent.journal.record('key_in_dialog', { dialog_id: dialog.id, kind: dialog.kind, ...described(event) });
    const answer = pressInDialog(dialog, event, alone, agent.skin.dialog);
    if (answer !== undefined) agent.answer(answer, 'key', dialog.id);
    agent.changed();
  }

  #inComposer(event: InputEvent): void {
    const { composer, clock } = this.#agent;
    if (event.kind === 'key') {
      this.#key(event.key);
      return;
    }
    this.#agent.leftMenu = [];
    this.#agent.disarm();
    if (event.kind === 'paste') this.#paste(event.text);
    if (event.kind !== 'text') return;
    const now = clock.monotonic();
    this.#run = now - this.#typedAt < FAST_TYPING_MS ? this.#run + 1 : 1;
    this.#typedAt = now;
    composer.insert(event.text, 'typed');
  }

  #paste(pasted: string): void {
    const { faults, skin, journal, composer, clock } = this.#agent;
    const size = fingerprint(pasted);
    const tooLong = faults.pasteLimit !== undefined && size.bytes > faults.pasteLimit;
    if (faults.ignorePastes > 0 || tooLong) {
      if (!tooLong) faults.ignorePastes--;
      journal.record('paste_ignored', { reason: tooLong ? 'too long' : 'fault', ...size });
      return;
    }
    this.#pastedAt = clock.monotonic();
    const { tabs, pasteTail } = skin.habits;
    const text = (tabs === 'spaces' ? pasted.replace(/\t/g, '    ') : pasted) + pasteTail;
    const { collapse } = skin;
    const lines = text.split('\n').length;
    if (collapse && (lines > collapse.lines || size.chars > collapse.chars)) {
      composer.insertCollapsed(text, collapse.label, 'pasted');
    } else composer.insert(text, 'pasted');
  }

  #key(key: string): void {
    const { composer, menu, skin } = this.#agent;
    if (key !== 'ctrl-c' && key !== 'escape') this.#agent.disarm();
    this.#agent.leftMenu = key === 'ctrl-u' && skin.habits.clearingLeavesMenu ? menu : [];
    if (key === 'enter') this.#enter(menu);
    else if (key === 'newline') composer.insert('\n', 'typed');
    else if (key === 'escape') this.#escape();
    else if (key === 'ctrl-c') this.#controlC();
    else if (key === 'ctrl-d' && composer.isEmpty) this.#agent.end({ kind: 'exit', code: 0 });
    else if (key === 'up' && !composer.up()) this.#recall(1);
    else if (key === 'down' && !composer.down()) this.#recall(-1);
    else EDITS[key]?.(this.#agent);
  }

  #enter([chosen]: readonly string[]): void {
    const { faults, composer, journal, clock } = this.#agent;
    if (composer.isEmpty) {
      if (chosen !== undefined) this.#command(chosen, { kind: 'command' });
      return;
    }
    if (faults.swallowEnters > 0) {
      faults.swallowEnters--;
      journal.record('enter_swallowed', { reason: 'fault', ...fingerprint(composer.text) });
      return;
    }
    const burst = faults.burst ?? this.#agent.skin.habits.burst;
    const now = clock.monotonic();
    const hasty =
      burst.after === 'paste'
        ? now - this.#pastedAt < burst.ms
        : this.#run >= FAST_RUN && now - this.#typedAt < burst.ms;
    if (!hasty) {
      this.#submit();
      return;
    }
    if (burst.as === 'newline') composer.insert('\n', 'typed');
    journal.record('enter_swallowed', { reason: 'burst', as: burst.as, ...fingerprint(composer.text) });
  }

  #submit(): void {
    const agent = this.#agent;
    const { composer, engine, skin, journal } = agent;
    const { text, how } = composer;
    const meaning = readSubmission({ text, how, shellMode: agent.shellMode }, skin.habits);
    this.#recalled = 0;
    if (meaning.kind === 'prompt' && agent.faults.losePrompts > 0) {
      agent.faults.losePrompts--;
      composer.clear();
      journal.record('prompt_lost', fingerprint(text));
    } else if (meaning.kind === 'prompt') {
      agent.history.push(text);
      if (agent.history.length > 50) agent.history.shift();
      const shown = composer.view.text;
      composer.clear();
      engine.submit(text, shown, how, agent.busyInput ?? skin.habits.busyInput);
    } else if (meaning.kind === 'newline') {
      composer.end();
      composer.backspace();
      composer.insert('\n', 'typed');
    } else if (meaning.kind === 'complete')
      composer.replace(meaning.text, how === 'pasted' ? 'pasted' : 'typed');
    else if (meaning.kind === 'shell') {
      composer.clear();
      agent.shellMode = skin.habits.bangStays;
      journal.record('shell_command', { command: meaning.command, asked: false, ran: false, how });
      agent.say('shell', meaning.command);
    } else if (meaning.kind !== 'nothing')
      this.#command(meaning.kind === 'help' ? '/help' : meaning.name, meaning);
  }

  #command(name: string, meaning: { kind: string; keep?: boolean }): void {
    const agent = this.#agent;
    const known = meaning.kind !== 'unknown-command';
    agent.journal.record('command', { name, known, ...fingerprint(agent.composer.text) });
    if (!meaning.keep) agent.composer.clear();
    if (!known) agent.say('notice', `Unknown command: ${name}`);
    else if (name === '/help') agent.say('notice', `Commands: ${COMMANDS.join(' ')}`);
    else if (name === '/clear' || name === '/new') agent.clearConversation();
    else agent.end({ kind: 'exit', code: 0 });
  }

  #escape(): void {
    const agent = this.#agent;
    if (agent.shellMode) agent.shellMode = false;
    else if (agent.engine.current) {
      const twice = agent.skin.habits.interrupt === 'double-escape';
      if (!twice || agent.pressedTwice('escape', '  esc again to interrupt'))
        agent.engine.interrupt('escape');
    } else if (!agent.composer.isEmpty && agent.pressedTwice('escape', '  esc again to clear'))
      agent.composer.clear();
  }

  #controlC(): void {
    const agent = this.#agent;
    if (agent.engine.current) agent.engine.interrupt('ctrl-c');
    else if (!agent.composer.isEmpty) agent.composer.clear();
    else if (agent.pressedTwice('ctrl-c', '  Press Ctrl-C again to exit'))
      agent.end({ kind: 'exit', code: 0 });
  }

  #recall(step: number): void {
    const { history, composer } = this.#agent;
    const at = this.#recalled + step;
    if (at < 0 || at > history.length || (this.#recalled === 0 && !composer.isEmpty)) return;
    this.#recalled = at;
    composer.replace(at === 0 ? '' : (history.at(-at) ?? ''), 'recalled');
  }
}

const EDITS: Record<string, (agent: Agent) => void> = {
  backspace: ({ composer }) => composer.backspace(),
  delete: ({ composer }) => composer.delete(),
  left: ({ composer }) => composer.left(),
  right: ({ composer }) => composer.right(),
  home: ({ composer }) => composer.home(),
  end: ({ composer }) => composer.end(),
  'ctrl-a': ({ composer }) => composer.home(),
  'ctrl-e': ({ composer }) => composer.end(),
  'ctrl-u': ({ composer }) => composer.deleteToLineStart(),
  'ctrl-k': ({ composer }) => composer.deleteToLineEnd(),
  'ctrl-w': ({ composer }) => composer.deleteWord(),
  'ctrl-d': ({ composer }) => composer.delete(),
};

/** A key for the transcript; a paste with its size and, if short, its text. */
function described(event: InputEvent): Record<string, unknown> {
  if (event.kind === 'key') return { key: event.key };
  if (event.kind === 'unknown') return { key: 'unknown' };
  if (event.kind === 'text') return { key: event.text };
  return {
    key: 'paste',
    ...fingerprint(event.text),
    ...(event.text.length <= 400 ? { text: event.text } : {}),
  };
}
