import * as fs from 'node:fs';
import * as path from 'node:path';
import { race, startRacer } from './race.ts';

/** What flat-file mail is written with today: flock, grep in the first 200 lines, cat to a temporary file, mv. No fsync. */
const RECIPE = `
mailbox=$1; name=$2; count=$3
echo ready; read -r go
for ((n = 0; n < count; n++)); do
  (
    flock -x -w 30 9 || exit 1
    head -n 200 "$mailbox" | grep -q -F "msg-id: $name-$n" && exit 0
    { printf -- '---\\nfrom: %s@bench\\nto: reader@bench\\nre: message %s of %s\\ncreated: 2026-01-01T00:00:00Z\\nstatus: pending\\nmsg-id: %s-%s\\n---\\n\\n%s\\n\\n' "$name" "$n" "$name" "$name" "$n" "$BODY"; cat "$mailbox"; } > "$mailbox.tmp.$$" \\
      && mv "$mailbox.tmp.$$" "$mailbox"
  ) 9> "$mailbox.lock"
done
echo done
`;

/** Messages per second of so many shells that write into one new file in this directory, each for itself in a loop. */
export async function recipeRate(
  directory: string,
  producers: number,
  each: number,
  body: string,
): Promise<number> {
  const mailbox = path.join(directory, 'inbox.md');
  fs.writeFileSync(mailbox, '');
  const shells = Array.from({ length: producers }, (_, n) =>
    startRacer('bash', ['-c', RECIPE, 'recipe', mailbox, `w${n}`, String(each)], { BODY: body }),
  );
  const seconds = await race(shells);
  const kept = fs.readFileSync(mailbox, 'utf8').split('\nmsg-id: ').length - 1;
  if (kept !== producers * each) throw new Error(`the recipe kept ${kept} of ${producers * each}`);
  return (producers * each) / seconds;
}
