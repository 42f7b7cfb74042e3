import type { OfferedTool } from '../model/conversation.ts';
import type { Step } from '../model/plan-answer.ts';

const WAKE = /^You have open mail\b/m;
const ORDER = /^Please write to (\S+@\S+) and ask for the word (\S+) back\.$/m;
const GIVES_UP = 'I give up:';
const ASKED = /Please answer with the word ([\w-]+)/;

/** A person's instruction to an agent to write to another one. */
export function orderToWrite(address: string, word: string): string {
  return `Please write to ${address} and ask for the word ${word} back.`;
}

export function isWakePrompt(prompt: string): boolean {
  return WAKE.test(prompt);
}

export function gaveUp({ said }: { said: string }): boolean {
  return said.startsWith(GIVES_UP);
}

/**
 * A model that knows only what it receives: it uses the tools it was offered, and those that the prompt names if it names
 * any; addresses and references are from the prompt or from the results of tools.
 */
export function doMail(prompt: string, results: string[], tools: OfferedTool[]): Step | undefined {
  const steps = stepsFor(prompt, new Toolbox(prompt, tools));
  if (!steps) return undefined;
  try {
    let next = steps.next('');
    for (const result of results) if (!next.done) next = steps.next(result);
    return next.done ? { say: next.value } : next.value;
  } catch (error) {
    return { say: `${GIVES_UP} ${(error as Error).message}` };
  }
}

type Steps = Generator<Step, string, string>;

function stepsFor(prompt: string, toolbox: Toolbox): Steps | undefined {
  const order = ORDER.exec(prompt);
  if (order) return write(toolbox, order[1]!, order[2]!);
  return isWakePrompt(prompt) ? workOff(toolbox) : undefined;
}

function* write(toolbox: Toolbox, address: string, word: string): Steps {
  const sent = yield toolbox.call('mail_send', {
    to: [address],
    subject: `About ${word}`,
    body_content: `Please answer with the word ${word}.`,
  });
  return `Written: ${refsIn(sent)[0]}`;
}

function* workOff(toolbox: Toolbox): Steps {
  const listed = refsIn(yield toolbox.call('mail_list', { archived: false }));
  for (const message_ref of listed) {
    const text = yield toolbox.call('mail_read', { message_ref });
    if (!refsIn(text).includes(message_ref)) throw new Error(`no mail in ${text}`);
    const word = ASKED.exec(text)?.[1];
    const answered = /answered\\*": ?true/.test(text);
    if (word && !answered)
      refsIn(yield toolbox.call('mail_reply', { message_ref, body_content: `The word is ${word}.` }));
    yield toolbox.call('mail_archive', { message_refs: [message_ref] });
  }
  return `Done with ${listed.length}.`;
}

/** Throws the tool's result if it has no message in it: the model must not continue after an error. */
function refsIn(result: string): string[] {
  const refs = [...result.matchAll(/message_ref\\*": ?\\*"([^"\\]+)/g)].map(([, ref]) => ref!);
  if (refs.length === 0 && !/messages\\*": ?\[\]/.test(result)) throw new Error(result.slice(0, 300));
  return [...new Set(refs)];
}

class Toolbox {
  readonly #prompt: string;
  readonly #tools: OfferedTool[];

  constructor(prompt: string, tools: OfferedTool[]) {
    this.#prompt = prompt;
    this.#tools = tools;
  }

  /** A tool is found by the end of its name; a wake has the full name. */
  call(end: string, args: object): Step {
    const [tool, other] = this.#tools.filter(
      ({ name }) => name === end || new RegExp(`[^a-z]${end}$`).test(name),
    );
    if (!tool || other) {
      throw new Error(
        `${other ? 'two tools' : 'no tool'} ${end} among ${this.#tools.map(fullName).join(' ')}`,
      );
    }
    if (isWakePrompt(this.#prompt) && !this.#prompt.includes(fullName(tool))) {
      throw new Error(`the prompt does not say that ${fullName(tool)} is to be used`);
    }
    return { call: tool.name, args };
  }
}

function fullName({ namespace, name }: OfferedTool): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}
