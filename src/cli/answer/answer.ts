import { invalid } from '../../base/index.ts';
import { ANSWER_VERBS } from '../../domain/index.ts';
import { command, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { ANSWER_FLAGS, type AnswerInput } from './flags.ts';

const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function run(input: AnswerInput): Promise<Output> {
  const { agentName } = input.flags;
  if (agentName !== undefined && REQUEST_ID.test(agentName)) {
    const { answerRequest } = await import('./answer-request.ts');
    return answerRequest(input, agentName.toLowerCase());
  }
  if (input.flags.note !== undefined)
    throw invalid('--note goes with the answer to a request', { hint: 'a dialog takes only a choice' });
  const { answerDialog } = await import('./answer-dialog.ts');
  return answerDialog(input);
}

export const answer = command({
  ...FIRST_WORDS.answer,
  description:
    'An agent that waits in a dialog: shows the dialog with its choices, and with a choice presses that key. A key is pressed ' +
    'only in the very dialog that was shown to you last; another one is shown first. What the screen showed ' +
    'afterwards is printed, never more. With the id of a request of the fleet server: approves, rejects or completes it, or sends a text to the one who asked.',
  examples: [
    'rouse answer pam     # what it asks, and the choices',
    'rouse answer pam 1   # presses 1 in the dialog that was shown',
    'rouse answer 0198c0de-7a2b-7e11-9c3d-0123456789ab approve',
    'rouse answer 0198c0de-7a2b-7e11-9c3d-0123456789ab "Which branch?"',
  ],
  args: [
    {
      name: 'choice',
      optional: true,
      summary: `a key of the dialog; of a request: ${ANSWER_VERBS.join(', ')}, or a text to the one who asked`,
    },
  ],
  flags: ANSWER_FLAGS,
  run,
});
