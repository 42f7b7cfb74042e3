/**
 * Tmux: the tmux binary as a typed object. Sessions, windows, panes, pastes, keys, captures, and a
 * control client for events and quick commands.
 *
 * Promises  Targets are exact: `=name`, `@id`, `%id`. Text is one argument: never a shell word, a format, a key or a
 *           second command. A command that types into a pane checks the pane in the same step of the server.
 *           A person's server is not changed: options of sessions created here and our own, no resize, no focus.
 * Never     Knows agents, closes window 0, pastes into a dead pane (older tmux would crash with all its sessions),
 *           polls.
 * Errors    RouseError whose `facts.tmux` is a TmuxProblem: not_installed, no_server, no_session, no_pane, …
 *           After `timeout` and `disconnected` it is unknown whether the command took effect.
 *
 * Secrets   argv is public on most systems. The environment of new processes is passed on standard input, and commands of
 *           a control client are never an argv. The tmux socket itself is open to every process of the same user.
 */
export type { Client } from './client.ts';
export { OutputSigns } from './control/output-signs.ts';
export type { PaneOutput } from './control/output-watch.ts';
export type { LineEvent } from './control/server-line.ts';
export { SessionLine } from './control/session-line.ts';
export { DRAIN_TERMINAL, KEEP_TERMINAL_MODES } from './drain-terminal.ts';
export type { ExecOptions, ServerAddress } from './exec.ts';
export { Exec } from './exec.ts';
export type { Expectation } from './guard.ts';
export type { EnterWay } from './keys.ts';
export { requireSessionName } from './names.ts';
export type { CaptureOptions, Pane, PaneMark, Snapshot } from './pane.ts';
export { type PasteOptions, pasteText } from './paste.ts';
export { type TmuxProblem, tmuxProblemOf } from './problem.ts';
export type { Commands, Runner, RunOptions } from './runner.ts';
export type { Created, NewProcess, NewSession, NewWindow } from './session.ts';
export {
  isDefaultSocket,
  isSameSocket,
  makeSocketDirectory,
  parseSocket,
  SHARED_SOCKET,
  socketPath,
} from './socket.ts';
export { Tmux } from './tmux.ts';
export { isAtLeast, type TmuxVersion } from './version.ts';
export type { WindowLabel } from './window.ts';
