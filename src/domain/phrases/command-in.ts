/** The command that the hint or message of an error names, as they do: in quotes. */
export const commandIn = (text: string): string | undefined => /"(rouse [^"]+)"/.exec(text)?.[1];
