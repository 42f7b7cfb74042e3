/** Whether a tool's report of a prompt is that prompt. Tools may turn tabs into spaces and trim the ends. */
export function samePrompt(reported: string, sent: string): boolean {
  return plain(reported) === plain(sent);
}

function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}
