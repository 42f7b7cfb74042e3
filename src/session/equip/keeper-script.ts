import * as path from 'node:path';
import { inShell, invalid, shellQuote, shellWords } from '../../base/index.ts';
import { HAND_OVER_SIGNAL } from '../../domain/index.ts';

/** How a gateway is restarted after it ended without being asked. */
export interface Keeping {
  /** Max restarts within `withinSeconds`; after that it stays down. 0: never. */
  restarts: number;
  withinSeconds: number;
  /** Before the first restart; each further pause is twice as long. */
  firstPauseSeconds: number;
}

const MAX_PAUSE_SECONDS = 60;

export function keepingOf(env: NodeJS.ProcessEnv): Keeping {
  return {
    restarts: setting(env, 'ROUSE_GATEWAY_RESTARTS', 5, (value) => Number.isInteger(value) && value <= 1000),
    withinSeconds: 600,
    firstPauseSeconds: setting(env, 'ROUSE_GATEWAY_RESTART_SECONDS', 1, (value) => value <= 3600),
  };
}

function setting(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: number,
  allows: (value: number) => boolean,
): number {
  const typed = env[name];
  if (typed === undefined || typed === '') return fallback;
  const value = Number(typed);
  if (/^\d+(\.\d+)?$/.test(typed) && allows(value)) return value;
  throw invalid(`${name} cannot be "${typed.slice(0, 40)}"`, {
    hint: 'see docs/environment.md',
  });
}

/** The files of a process that a keeper restarts. */
export interface KeptPlace {
  run: string;
  currentInstance: string;
}

export function keeperScriptFile({ run }: Pick<KeptPlace, 'run'>): string {
  return path.join(run, 'keeper.sh');
}

/**
 * The parent of a gateway: a shell that waits for it and restarts it. An end was requested if the gateway exits with
 * code 0 or the keeper was asked to end. A gateway without an instance record never became ready. Neither is restarted.
 * It counts by the time since boot, so setting the clock changes nothing. Its record is `run/keeper.json`. With a
 * journal, it is the keeper of a host, without which no agent is woken: it keeps a nameless file open for the next host
 * to read, and never gives up, but restarts a host that ends often after ever longer pauses.
 */
export function keeperScript(
  paths: KeptPlace,
  words: readonly string[],
  keeping: Keeping,
  journalFd?: number,
): string {
  const record = path.join(paths.run, 'keeper.json');
  return `#!/bin/sh
umask 077
asked= signalled= child= ends= restarts=0 state=keeping
end() { asked=1 signalled=1; [ -z "$child" ] || kill -"$1" "$child" 2>/dev/null; }
trap 'end TERM' TERM INT HUP
trap 'end ${HAND_OVER_SIGNAL.slice(3)}' ${HAND_OVER_SIGNAL.slice(3)}

${inShell.identity}

record() {
  printf '{"schema_version":1,"pid":%s,"pid_start_ticks":%s,"boot_id":"%s","state":"%s","restarts":%s,"exit_code":%s,"since_utc":"%s"}\\n' \\
    "$$" "$started" "$boot" "$1" "$restarts" "$2" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >${shellQuote(`${record}.new`)} &&
    mv -f ${shellQuote(`${record}.new`)} ${shellQuote(record)}
}
leave() { rm -f ${shellQuote(record)}; exit "$1"; }
await() {
  [ -z "$asked" ] || kill -TERM "$child" 2>/dev/null
  wait "$child"; code=$?
  while [ -n "$signalled" ]; do signalled=; wait "$child"; code=$?; done
}

${journalFd === undefined ? '' : openJournal(paths, journalFd)}record keeping null
while :; do
  ${shellWords(words)} --restarts "$restarts" &
  child=$!
  await
  [ -z "$asked" ] || leave 0
  [ "$code" -ne 0 ] && [ -e ${shellQuote(paths.currentInstance)} ] || leave "$code"
  ${inShell.uptime}
  recent= count=0
  for at in $ends; do
    [ $((now - at)) -ge ${keeping.withinSeconds} ] || { recent="$recent $at"; count=$((count + 1)); }
  done
  state=keeping
  case $count in
${pauses(keeping)}
${journalFd === undefined ? '    *) record given_up "$code"; exit "$code" ;;' : slowPauses(keeping)}
  esac
  ends="$recent $now" restarts=$((restarts + 1))
    record "$state" "$code"
  sleep "$pause" &
  child=$!
  await
  [ -z "$asked" ] || leave 0
done
`;
}

function pauses({ restarts, firstPauseSeconds }: Keeping): string {
  return Array.from({ length: restarts }, (_, before) => {
    const pause = Math.min(MAX_PAUSE_SECONDS, firstPauseSeconds * 2 ** Math.min(before, 20));
    return `    ${before}) pause=${pause} ;;`;
  }).join('\n');
}

const MAX_SLOW_PAUSE_SECONDS = 600;

/** With pauses this long, there can be no more than these ends in the period that counts. */
function slowPauses({ restarts, firstPauseSeconds }: Keeping): string {
  const cases = Array.from({ length: 10 }, (_, more) => {
    const pause = Math.min(MAX_SLOW_PAUSE_SECONDS, firstPauseSeconds * 2 ** Math.min(restarts + more, 20));
    return `    ${restarts + more}) pause=${pause} state=slow ;;`;
  });
  return [...cases, `    *) pause=${MAX_SLOW_PAUSE_SECONDS} state=slow ;;`].join('\n');
}

/** In memory, if there is such a place. */
function openJournal({ run }: KeptPlace, fd: number): string {
  return `journal=$(mktemp /dev/shm/rouse-host.XXXXXX 2>/dev/null || mktemp ${shellQuote(path.join(run, 'journal.XXXXXX'))})
exec ${fd}<>"$journal"
rm -f "$journal"
`;
}
