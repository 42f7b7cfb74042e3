/** The gate's reasons in words; the fragments themselves stay beside them, for searching and for programs. */
const WORDS: [RegExp, string | ((value: string) => string)][] = [
  [/process='gone'/, 'the tool is not running'],
  [/process='shell'/, 'a shell is in front instead of the tool'],
  [/process='other'/, 'another program is in front instead of the tool'],
  [/connectivity='unavailable'/, 'the agent cannot be reached'],
  [/copy_mode='yes'/, 'somebody scrolls in its window (tmux copy mode)'],
  [/person_typing='yes'/, 'somebody was typing just now'],
  [/cao='unreachable'/, 'the CAO server that owns its terminal does not answer'],
  [/cao='not asked yet'/, 'the CAO server that owns its terminal was not asked yet'],
  [/cao_terminal='unknown'/, 'CAO no longer knows its terminal'],
  [/cao_window=/, 'its window is not called as CAO knows it'],
  [/cao_pane=/, 'another pane of its window is the one that CAO would type into'],
  [/cao_status='([^']*)'/, (status) => `CAO says ${status}`],
  [/cao_inbox='pending'/, 'CAO has mail of its own for it, which goes first'],
  [/pane_input='([^']*)'/, (how) => `the input of its pane is ${how}`],
  [/dialog='([^']*)'/, (kind) => `a dialog is open: ${kind}`],
  [/tool_version='([^']*)'/, (version) => `its version ${version} is not known`],
  [/menu='([^']*)'/, (kind) => `a menu is open: ${kind}`],
  [/input_mode='shell'/, 'its composer is in shell mode'],
  [/editing_input='yes'/, 'its composer holds a draft'],
  [/editing_input='unknown'/, 'its composer may hold a draft'],
  [/exit_armed='yes'/, 'one more key would end the tool'],
  [/phase='active'|active_turn_id=/, 'it is working on a turn'],
  [/pending_input='yes'/, 'the tool holds input that it has not taken yet'],
  [/contradiction='([^']*)'/, (what) => `what is seen contradicts itself: ${what}`],
  [/usage_limit='([^']*)'/, (until) => `a usage limit was reached (${until})`],
  [/unseen_paste='pasted'/, 'the tool has not shown what was pasted into it'],
  [/unseen_paste='entered'/, 'the tool has not answered since Enter was pressed'],
  [/logged_out='([^']*)'/, (said) => `the tool answers by itself until somebody logs in there: ${said}`],
  [/stable='false'/, 'its screen is still changing'],
  [/ready_posture=/, 'its screen was not recognised'],
  [/stalled='yes'/, 'and has not been for long, so somebody should look at it'],
  [
    /request_admission='blocked_reconciliation'/,
    'earlier requests wait for "rouse agents gateway reconcile"',
  ],
  [/request_admission='blocked_unavailable'/, 'the agent is not available'],
  [/active_execution='running'/, 'the gateway is typing something else'],
  [
    /turn='([^']*)'/,
    (who) => `${who === 'mail' ? 'mail waited longer and goes' : 'a reminder waited longer and goes'} first`,
  ],
  [/queue_depth='[1-9]/, 'requests are in line before it'],
];

/** `its composer holds a draft (editing_input='yes')`; a detail that is words already is left as it is. */
export function reasonInWords(detail: string): string {
  const words = bareReason(detail);
  return words === detail ? detail : `${words} (${detail})`;
}

/** The words alone, where there is no room for more. */
export function bareReason(detail: string): string {
  const found = WORDS.flatMap(([pattern, words]) => {
    const match = pattern.exec(detail);
    if (!match) return [];
    return [typeof words === 'string' ? words : words(match[1] ?? '')];
  });
  return found.length === 0 ? detail : found.join(', ');
}
