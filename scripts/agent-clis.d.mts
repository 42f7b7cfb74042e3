export declare const CLIS: Record<
  string,
  { package: string; version: string; newerNode?: true; bundle?: string[] }
>;
export declare function cliDirectories(name: string): string[];
export declare function ensureClis(
  names: string[],
  say?: (line: string) => void,
): Promise<Record<string, string>>;
