/** How many reports are kept if no one reads them. */
const KEPT_SIGNALS = 256;

/**
 * The command that a tool's hooks run. It writes one file per event, `<nanoseconds>-<pid>.json`, with one line
 * `{"event":…,"at":…,"payload":<the tool's payload>}`. The file is renamed into place, so a reader never sees half of one
 * and two hooks never mix. The command prints nothing and always succeeds: a hook that fails or prints would change what
 * the tool does.
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
