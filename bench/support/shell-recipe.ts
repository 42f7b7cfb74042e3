import * as fs from 'node:fs';
import * as path from 'node:path';
import { race, startRacer } from './race.ts';

/**
 * The script that writes flat-file mail today, called once per message: an exclusive lock with a timeout, a search for the id
 * in the first 200 lines, message and old content into a temporary file, mv. No fsync.
 */
const SCRIPT = `#!/usr/bin/env bash
# mailbox-prepend.sh MAILBOX: puts the message from standard input on top of it.
set -euo pipefail
mailbox=$1
message=$(cat)
case $mailbox in
  */.agent/*) lock=\${mailbox%/*}/locks/\${mailbox##*/}.lock ;;
  *) lock=/tmp/foundry-mailbox-$(printf %s "$mailbox" | sha256sum | cut -c 1-16).lock ;;
esac
mkdir -p "\${lock%/*}"
exec 9> "$lock"
flock -x -w 30 9
id=$(grep -m 1 '^msg-id:' <<< "$message" || true)
if [ -n "$id" ] && head -n 200 "$mailbox" | grep -x -F -- "$id" > /dev/null; then exit 0; fi
temporary=$(mktemp "$mailbox.XXXXXX")
{ printf '%s\\n\\n' "$message"; cat "$mailbox"; } > "$temporary"
mv "$temporary" "$mailbox"
`;

/** Sets $message without a subprocess. */
const MESSAGE = `printf -v message -- '---\\nfrom: %s@bench\\nto: reader@bench\\nre: message %s of %s\\ncreated: 2026-01-01T00:00:00Z\\nstatus: pending\\nmsg-id: %s-%s\\n---\\n\\n%s' "$name" "$n" "$name" "$name" "$n" "$BODY"`;

/** One process per message, for any command that takes the message from standard input. */
const ONE_BY_ONE = `
name=$1 count=$2; shift 2
echo ready; read -r go
for ((n = 0; n < count; n++)); do
  ${MESSAGE}
  "$@" <<< "$message" > /dev/null || exit 1
done
echo done
`;

/** The necessary lines of the script inside one long-lived shell: no start, no derived path, no mktemp. */
const INLINED = `
name=$1 count=$2 mailbox=$3
echo ready; read -r go
for ((n = 0; n < count; n++)); do
  ${MESSAGE}
  (
    flock -x -w 30 9 || exit 1
    head -n 200 "$mailbox" | grep -q -F "msg-id: $name-$n" && exit 0
    { printf '%s\\n\\n' "$message"; cat "$mailbox"; } > "$mailbox.tmp.$$" && mv "$mailbox.tmp.$$" "$mailbox"
  ) 9> "$mailbox.lock"
done
echo done
`;

const GOAL = 5;

/** The ratio to the recipe, and for eight writers whether it reaches the goal. */
export function timesRecipe(times: number, producers: number): string {
  const goal = producers === 8 ? ` (goal ${GOAL}x: ${times >= GOAL ? 'reached' : 'missed'})` : '';
  return `${times.toFixed(1)}x recipe${goal}`;
}

export interface ShellLoad {
  /** The directory of the new mailbox. */
  directory: string;
  producers: number;
  /** Messages per producer. */
  each: number;
  body: string;
}

/** Messages per second of shells that call the script for each message. */
export async function recipeRate(load: ShellLoad): Promise<number> {
  const script = path.join(load.directory, 'mailbox-prepend.sh');
  fs.writeFileSync(script, SCRIPT, { mode: 0o755 });
  return commandRate(load, (mailbox) => [script, mailbox]);
}

/** The same with another command instead of the script. */
export function commandRate(load: ShellLoad, command: (mailbox: string) => string[]): Promise<number> {
  return shellRate(load, ONE_BY_ONE, command);
}

/** Messages per second of shells with the lines of the script in a loop. */
export function inlinedRate(load: ShellLoad): Promise<number> {
  return shellRate(load, INLINED, (mailbox) => [mailbox]);
}

async function shellRate(
  { directory, producers, each, body }: ShellLoad,
  program: string,
  args: (mailbox: string) => string[],
): Promise<number> {
  const agent = path.join(fs.mkdtempSync(path.join(directory, 'shells-')), '.agent');
  fs.mkdirSync(agent);
  const mailbox = path.join(agent, 'inbox.md');
  fs.writeFileSync(mailbox, '');
  const shells = Array.from({ length: producers }, (_, n) =>
    startRacer('bash', ['-c', program, 'bench', `w${n}`, String(each), ...args(mailbox)], { BODY: body }),
  );
  const seconds = await race(shells);
  const kept = fs.readFileSync(mailbox, 'utf8').split('\nmsg-id: ').length - 1;
  if (kept !== producers * each) throw new Error(`the shells kept ${kept} of ${producers * each}`);
  return (producers * each) / seconds;
}
