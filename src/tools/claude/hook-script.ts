/** How many reports are kept when nobody reads them. */
const KEPT_SIGNALS = 256;

/**
 * The command a tool's hooks run: one file per event, `<nanoseconds>-<pid>.json`, holding one line
 * `{"event":…,"at":…,"payload":<what the tool said>}`. Written aside and renamed, so that a reader never sees
 * half of one and two hooks at once never mix. It prints nothing and always succeeds: a hook that fails or
 * speaks would change what the tool does.
 */
export function hookScript(signalsDir: string): string {
  const quoted = `'${signalsDir.replaceAll("'", "'\\''")}'`;
  return `#!/bin/sh
umask 077
cd ${quoted} 2>/dev/null || exit 0
at=$(date +%s%N)
{
  printf '{"event":"%s","at":"%s","payload":' "$1" "$at"
  tr -d '\\n'
  printf '}\\n'
} >".$at-$$.tmp" 2>/dev/null && mv -f ".$at-$$.tmp" "$at-$$.json" 2>/dev/null
set -- *.json
if [ $# -gt ${KEPT_SIGNALS * 2} ]; then
  while [ $# -gt ${KEPT_SIGNALS} ]; do
    rm -f -- "$1"
    shift
  done
fi
exit 0
`;
}
