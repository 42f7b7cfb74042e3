import type { Tool } from '../../tools/index.ts';

/** The tool's arguments to continue a conversation; undefined if it cannot. */
export function resumeWords(tool: Tool, args: readonly string[], conversation: string): string[] | undefined {
  if (!tool.resume) return undefined;
  // A program that comes with Rouse is a script: its path stays first.
  const fixed = tool.process.packaged ? 1 : 0;
  const own = args.slice(fixed);
  const words = tool.resume.flatMap((word) =>
    word === '{args}' ? own : [word.replace('{session}', conversation)],
  );
  return [...args.slice(0, fixed), ...words];
}
