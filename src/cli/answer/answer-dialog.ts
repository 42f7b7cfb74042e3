import { commandLine, notReady } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import { DIALOG_AFTER } from '../../domain/index.ts';
import { refusal } from '../../wire/codes.ts';
import type { PageDialog } from '../../wire/index.ts';
import type { Output } from '../command.ts';
import { liveGateway, reachable } from '../gateway/target.ts';
import { keyValues } from '../print/table.ts';
import type { AnswerInput } from './flags.ts';
import { forgetShown, rememberShown, shownDialog } from './shown-dialogs.ts';

/** Shows the dialog of an agent; with a choice presses its key, if it is the dialog that was shown before. */
export async function answerDialog(input: AnswerInput): Promise<Output> {
  const target = await reachable(input);
  const name = (target.kind === 'remote' ? undefined : target.facts?.agentName) ?? nameIn(input);
  const gateway = await liveGateway(input);
  const { dialog } = await gateway.call('tui.screen', { wait_seconds: 0 });
  if (!dialog) throw await asksNothing(gateway, name);
  const { home } = input.settings;
  const seen = shownDialog(home, name);
  const [choice] = input.args;
  if (choice === undefined) {
    rememberShown(home, name, dialog.hash);
    return { data: { agent_name: name, dialog }, plain: dialogText(name, dialog) };
  }
  if (seen !== dialog.hash) {
    rememberShown(home, name, dialog.hash);
    const why =
      seen === undefined
        ? 'this dialog was not shown yet'
        : 'this is another dialog than the one shown before';
    throw refusal('dialog_changed', `${why}; nothing was pressed`, {
      hint: `${dialogText(name, dialog)}`,
    });
  }
  const { pressChoice } = await import('../../client/index.ts');
  const key = keyOf(dialog, choice);
  // Before the key: if this process ends here, the dialog is only shown once more.
  forgetShown(home, name);
  const { choice: pressed, after } = await pressChoice(gateway, { name, hash: dialog.hash, key });
  return {
    data: { agent_name: name, key, label: pressed.label, dialog_after: after },
    plain: `Pressed ${key}${pressed.label === key ? '' : ` (${pressed.label})`} for ${name}; ${DIALOG_AFTER[after]}.`,
  };
}

const nameIn = ({ flags }: AnswerInput): string => flags.agentName ?? flags.agentId ?? 'the agent';

async function asksNothing(gateway: GatewayClient, name: string): Promise<Error> {
  const { standing } = await gateway.tuiState();
  const todo = standing?.needs_you;
  return notReady(`${name} shows no dialog: ${standing?.words ?? 'its screen was not read yet'}`, {
    hint: todo ?? commandLine`"rouse open ${name}" shows its screen`,
  });
}

/** The key as the dialog writes it: `esc` is typed for `Escape`. */
function keyOf({ choices }: PageDialog, typed: string): string {
  const keys = choices.map(({ key }) => key);
  if (keys.includes(typed)) return typed;
  const like = keys.filter((key) => key.toLowerCase().startsWith(typed.toLowerCase()));
  return like.length === 1 && typed.length > 1 ? like[0]! : typed;
}

function dialogText(name: string, dialog: PageDialog): string {
  const { choices } = dialog;
  const first = choices.find(({ selected }) => selected) ?? choices[0];
  const how =
    first === undefined
      ? `Its choices cannot be read for certain; answer in its window: ${commandLine`rouse open ${name}`}`
      : `Answer with one of them, such as: ${commandLine`rouse answer ${name} ${first.key}`}`;
  return [
    `${name} asks (${dialog.kind}): ${dialog.title}`,
    '',
    ...withoutFrame(dialog.lines).map((line) => `  ${line}`.trimEnd()),
    '',
    ...(choices.length > 0
      ? [
          keyValues(Object.fromEntries(choices.map(({ key, label }) => [key, label === key ? '' : label]))),
          '',
        ]
      : []),
    how,
  ].join('\n');
}

const FRAME = /^[\s─━═╌┄╭╮╰╯┌┐└┘]*$/;

/** Without the lines that are only drawn around it. */
function withoutFrame(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => !FRAME.test(line));
  return lines.slice(Math.max(0, first), lines.findLastIndex((line) => !FRAME.test(line)) + 1);
}
